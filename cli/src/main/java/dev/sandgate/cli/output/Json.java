// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.cli.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.MapEntry;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * Messages as JSON for programs: the API's field names, numbers as numbers, times in ISO 8601, enum values without
 * their type's prefix, bytes in Base64.
 */
public final class Json {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private Json() {}

  /** An array of messages. */
  public static JsonNode of(List<? extends Message> messages) {
    ArrayNode array = NODES.arrayNode();
    messages.forEach(message -> array.add(of(message)));
    return array;
  }

  /** Plain values: maps, lists, strings, numbers, nodes. */
  public static JsonNode of(Map<String, ?> values) {
    return MAPPER.valueToTree(values);
  }

  /** One line of text. */
  public static String text(JsonNode node) {
    try {
      return MAPPER.writeValueAsString(node);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException("a tree of nodes cannot be written", impossible);
    }
  }

  /** A message with the fields that are set or have no presence. */
  public static JsonNode of(Message message) {
    if (message instanceof Timestamp time) {
      return NODES.textNode(Instant.ofEpochSecond(time.getSeconds(), time.getNanos()).toString());
    }
    ObjectNode object = NODES.objectNode();
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      if (!field.hasPresence() || message.hasField(field)) {
        object.set(field.getName(), field(field, message.getField(field)));
      }
    }
    return object;
  }

  private static JsonNode field(FieldDescriptor field, Object value) {
    if (field.isMapField()) {
      return map((List<?>) value);
    }
    if (!field.isRepeated()) {
      return single(field, value);
    }
    ArrayNode array = NODES.arrayNode();
    ((List<?>) value).forEach(item -> array.add(single(field, item)));
    return array;
  }

  private static JsonNode map(List<?> entries) {
    ObjectNode object = NODES.objectNode();
    for (Object entry : entries) {
      MapEntry<?, ?> pair = (MapEntry<?, ?>) entry;
      object.put(String.valueOf(pair.getKey()), String.valueOf(pair.getValue()));
    }
    return object;
  }

  private static JsonNode single(FieldDescriptor field, Object value) {
    return switch (field.getJavaType()) {
      case INT, LONG -> NODES.numberNode(((Number) value).longValue());
      case FLOAT, DOUBLE -> NODES.numberNode(((Number) value).doubleValue());
      case BOOLEAN -> NODES.booleanNode((Boolean) value);
      case STRING -> NODES.textNode((String) value);
      case BYTE_STRING -> NODES.binaryNode(((ByteString) value).toByteArray());
      case ENUM -> NODES.textNode(Names.of((EnumValueDescriptor) value));
      case MESSAGE -> of((Message) value);
    };
  }
}
