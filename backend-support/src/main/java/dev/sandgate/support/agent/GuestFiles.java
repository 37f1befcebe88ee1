// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.support.agent;

import dev.sandgate.spi.Files;
import dev.sandgate.support.agent.GuestFailure.Operation;
import dev.sandgate.support.agent.Request.Question;
import dev.sandgate.support.agent.WriteExchange.Written;
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
          Consumer<FieldWriter> fields = f -> f.str(user).str(path).u64(offset).u64(length);
          return new ReadExchange(link, question(path, FrameType.READ, 0, fields)).stream();
        });
  }

  @Override
  public Uni<Long> write(WriteTarget target, Multi<ByteBuffer> data) {
    int flags = target.parents() ? PARENTS : 0;
    Question question = question(target.path(), FrameType.WRITE, flags, fields(target));
    return checked(
        target.path(), () -> WriteExchange.send(link, question, data).map(Written::bytes));
  }

  private static Question question(String path, int type, int flags, Consumer<FieldWriter> fields) {
    return new Question(Operation.FILE, path, type, flags, fields);
  }

  private static Consumer<FieldWriter> fields(WriteTarget target) {
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
                question(path, FrameType.STAT, 0, f -> f.str(user).str(path)),
                FileFrames::entry));
  }

  @Override
  public Multi<FileInfo> list(String user, String path, int depth) {
    return checkedMulti(
        () -> {
          GuestChecks.path("path", path);
          GuestChecks.between("depth", depth, 1, 64);
          Consumer<FieldWriter> fields = f -> f.str(user).str(path).u8(depth);
          Question question = question(path, FrameType.LIST, 0, fields);
          return new ItemsExchange<>(link, question, FileFrames::entry).stream();
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

  @Override
  public Uni<Void> setAttributes(String user, String path, Attributes attributes) {
    return checked(
        path,
        () -> {
          GuestChecks.between("mode", attributes.mode(), -1, 07777);
          GuestChecks.text("owner", attributes.owner());
          return run(
              path,
              FrameType.SET,
              0,
              f -> f.str(user).str(path).u32(attributes.mode()).str(attributes.owner()));
        });
  }

  @Override
  public Uni<Checksum> checksum(String user, String path) {
    Question question = question(path, FrameType.CHECKSUM, 0, f -> f.str(user).str(path));
    return checked(path, () -> Request.ask(link, question, FileFrames::digest));
  }

  @Override
  public Multi<ByteBuffer> archive(String user, String path) {
    return checkedMulti(
        () -> {
          GuestChecks.path("path", path);
          Consumer<FieldWriter> fields = f -> f.str(user).str(path);
          return new ReadExchange(link, question(path, FrameType.ARCHIVE, 0, fields)).stream();
        });
  }

  @Override
  public Uni<Extracted> extract(ExtractTarget target, Multi<ByteBuffer> tar) {
    Consumer<FieldWriter> fields =
        f ->
            f.str(target.user()).str(target.path()).u64(target.maxBytes()).u32(target.maxEntries());
    int flags = target.parents() ? PARENTS : 0;
    Question question = question(target.path(), FrameType.EXTRACT, flags, fields);
    return checked(
        target.path(),
        () -> {
          GuestChecks.notNegative("max_bytes", target.maxBytes());
          GuestChecks.notNegative("max_entries", target.maxEntries());
          return WriteExchange.send(link, question, tar)
              .map(written -> new Extracted(written.bytes(), written.entries()));
        });
  }

  @Override
  public Multi<FileEvent> watch(String user, String path, boolean recursive) {
    return checkedMulti(
        () -> {
          GuestChecks.path("path", path);
          Consumer<FieldWriter> fields = f -> f.str(user).str(path);
          Question question = question(path, FrameType.WATCH, recursive ? RECURSIVE : 0, fields);
          return new ItemsExchange<>(link, question, FileFrames::event).stream();
        });
  }

  private Uni<Void> run(String path, int type, int flags, Consumer<FieldWriter> fields) {
    return checked(path, () -> Request.run(link, question(path, type, flags, fields)));
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
