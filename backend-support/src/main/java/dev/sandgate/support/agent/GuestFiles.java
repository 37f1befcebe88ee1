// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.Files;
import dev.sandgate.support.agent.GuestFailure.Operation;
import dev.sandgate.support.agent.Request.Question;
import dev.sandgate.support.wire.FieldWriter;
import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import java.nio.ByteBuffer;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** File operations as their caller sees them. */
record GuestFiles(Link link) implements Files {

  private static final int PARENTS = 1;
  private static final int RECURSIVE = 1;

  @Override
  public Multi<ByteBuffer> read(String user, String path, long offset, long length) {
    return checkedMulti(
        () -> {
          GuestChecks.path("path", path);
          GuestChecks.notNegative("offset", offset);
          return new ReadExchange(link, path, f -> f.str(user).str(path).u64(offset).u64(length))
              .stream();
        });
  }

  @Override
  public Uni<Long> write(WriteTarget target, Multi<ByteBuffer> data) {
    int flags = target.parents() ? PARENTS : 0;
    return link.uni(
        emitter -> {
          GuestChecks.path("path", target.path());
          new WriteExchange(link, target.path(), data, emitter).open(flags, question(target));
        });
  }

  private static Consumer<FieldWriter> question(WriteTarget target) {
    return f ->
        f.str(target.user())
            .str(target.path())
            .u32(target.fileMode())
            .u8(code(target.mode()))
            .u64(target.offset());
  }

  private static int code(WriteMode mode) {
    return switch (mode) {
      case TRUNCATE -> 0;
      case CREATE -> 1;
      case APPEND -> 2;
      case RESUME -> 3;
    };
  }

  @Override
  public Uni<FileInfo> stat(String user, String path) {
    return checked(
        path,
        () ->
            Request.ask(
                link,
                new Question(Operation.FILE, path, FrameType.STAT, 0, f -> f.str(user).str(path)),
                ListExchange::entry));
  }

  @Override
  public Multi<FileInfo> list(String user, String path, int depth) {
    return checkedMulti(
        () -> {
          GuestChecks.path("path", path);
          GuestChecks.between("depth", depth, 1, 64);
          return new ListExchange(link, path, f -> f.str(user).str(path).u8(depth)).stream();
        });
  }

  @Override
  public Uni<Void> makeDirectory(String user, String path, int mode, boolean parents) {
    int flags = parents ? PARENTS : 0;
    return run(path, FrameType.MKDIR, flags, f -> f.str(user).str(path).u32(mode));
  }

  @Override
  public Uni<Void> move(String user, String from, String to) {
    return checked(to, () -> run(from, FrameType.MOVE, 0, f -> f.str(user).str(from).str(to)));
  }

  @Override
  public Uni<Void> remove(String user, String path, boolean recursive) {
    return run(path, FrameType.REMOVE, recursive ? RECURSIVE : 0, f -> f.str(user).str(path));
  }

  private Uni<Void> run(String path, int type, int flags, Consumer<FieldWriter> fields) {
    Question question = new Question(Operation.FILE, path, type, flags, fields);
    return checked(path, () -> Request.run(link, question));
  }

  private static <T> Uni<T> checked(String path, Supplier<Uni<T>> operation) {
    return Uni.createFrom()
        .deferred(
            () -> {
              GuestChecks.path("path", path);
              return operation.get();
            });
  }

  private static <T> Multi<T> checkedMulti(Supplier<Multi<? extends T>> operation) {
    return Multi.createFrom().deferred(operation);
  }
}
