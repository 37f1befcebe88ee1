// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor.JavaType;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.DynamicMessage;
import dev.sandgate.node.support.Answers;
import dev.sandgate.node.support.Rpc.Failed;
import dev.sandgate.node.support.TestNode;
import dev.sandgate.proto.v1.Exec;
import dev.sandgate.proto.v1.FileInfo;
import dev.sandgate.proto.v1.Sandbox;
import dev.sandgate.proto.v1.Session;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every method that names a sandbox says NOT_FOUND of one it does not know, whatever else the request has. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ForeignIdsTest {

  private static final String FOREIGN = "sb-n1-aaaaaaaaaaaaaaaaaaaa";

  private TestNode node;

  @BeforeAll
  void begin() {
    node = TestNode.start();
  }

  @AfterAll
  void end() {
    node.close();
  }

  static List<MethodDescriptor> methods() {
    return Stream.of(
            Sandbox.getDescriptor(),
            Exec.getDescriptor(),
            Session.getDescriptor(),
            FileInfo.getDescriptor())
        .flatMap(type -> type.getFile().getServices().stream())
        .map(ServiceDescriptor::getMethods)
        .flatMap(List::stream)
        .filter(method -> namesASandbox(method.getInputType()))
        .toList();
  }

  private static boolean namesASandbox(Descriptor type) {
    FieldDescriptor first = type.findFieldByNumber(1);
    return first != null && first.getName().equals("sandbox_id");
  }

  /** A request that would be well if the sandbox were there. */
  private static DynamicMessage request(Descriptor type) {
    DynamicMessage.Builder request = DynamicMessage.newBuilder(type);
    for (FieldDescriptor field : type.getFields()) {
      Object value = field.isRepeated() ? null : value(field);
      if (value != null && !hasOther(request, field)) {
        request.setField(field, value);
      }
    }
    return request.build();
  }

  private static boolean hasOther(DynamicMessage.Builder request, FieldDescriptor field) {
    return field.getContainingOneof() != null && request.hasOneof(field.getContainingOneof());
  }

  private static @Nullable Object value(FieldDescriptor field) {
    return switch (field.getName()) {
      case "sandbox_id" -> FOREIGN;
      case "exec_id", "session_id" -> "e1";
      case "path", "from", "to" -> "/tmp/x";
      case "shell" -> "true";
      case "port", "columns", "rows" -> 16;
      case "number", "signal" -> field.getJavaType() == JavaType.INT ? 15 : null;
      case "start", "attach", "command", "chunk", "size" -> request(field.getMessageType());
      default -> null;
    };
  }

  @ParameterizedTest
  @MethodSource("methods")
  void shouldNotKnowAForeignSandbox(MethodDescriptor method) {
    ServiceMethod<DynamicMessage, DynamicMessage> call =
        ServiceMethod.client(
            ServiceName.create(method.getService().getFullName()),
            method.getName(),
            GrpcMessageEncoder.encoder(),
            GrpcMessageDecoder.decoder(DynamicMessage.getDefaultInstance(method.getOutputType())));
    Answers<DynamicMessage, DynamicMessage> answers = node.rpc().open(call, 10_000);
    answers.end(request(method.getInputType()));
    if (method.getFullName().equals("sandgate.v1.Sandboxes.Delete")) {
      assertEquals(0, answers.only().getAllFields().size(), "existed");
      return;
    }
    Failed failed = assertThrows(Failed.class, answers::rest);
    assertEquals(GrpcStatus.NOT_FOUND, failed.status(), failed.getMessage());
    assertTrue(failed.toString().contains(FOREIGN), failed.toString());
  }
}
