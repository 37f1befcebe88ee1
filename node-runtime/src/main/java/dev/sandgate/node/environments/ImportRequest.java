// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.node.environments;

import static dev.sandgate.spi.SandgateException.invalid;

import dev.sandgate.node.checks.EnvironmentName;
import dev.sandgate.node.checks.Fields;
import dev.sandgate.proto.v1.ImportEnvironmentRequest;
import dev.sandgate.proto.v1.ImportEnvironmentRequest.SourceCase;
import dev.sandgate.proto.v1.LayerKind;
import java.util.List;

/**
 * What an import is to make, checked.
 *
 * @param source where the tree comes from, as the catalogue shows it
 * @param on digests of what is beneath, lowest first
 * @param inherited what the lowest environment beneath has besides layers; without a user when there is none
 * @param owner who imports
 */
record ImportRequest(
    ImportEnvironmentRequest asked,
    String tag,
    LayerKind kind,
    String source,
    List<String> on,
    Published inherited,
    String owner) {

  private static final int MAX_BENEATH = 64;

  static ImportRequest of(ImportEnvironmentRequest asked, String owner, Environments environments) {
    EnvironmentName.of("name", asked.getName());
    String tag = EnvironmentName.tag(asked.getTag());
    Fields.account("user", asked.getUser());
    LayerKind kind = kind(asked);
    if (kind == LayerKind.LAYER_KIND_BASE && asked.getOnCount() > 0) {
      throw invalid("on", "a base stands on nothing; leave it out or give another kind");
    }
    if (asked.getOnCount() > MAX_BENEATH) {
      throw invalid("on", "give at most " + MAX_BENEATH);
    }
    List<String> on = environments.beneath(asked.getOnList());
    Published inherited =
        asked.getOnCount() == 0 || asked.getOn(0).startsWith("sha256:")
            ? Published.by("")
            : environments.require("on[0]", asked.getOn(0)).published();
    return new ImportRequest(asked, tag, kind, source(asked), on, inherited, owner);
  }

  private static LayerKind kind(ImportEnvironmentRequest asked) {
    return switch (asked.getKind()) {
      case LAYER_KIND_UNSPECIFIED, LAYER_KIND_BASE -> LayerKind.LAYER_KIND_BASE;
      case LAYER_KIND_WORKSPACE, LAYER_KIND_TOOLKIT -> asked.getKind();
      case LAYER_KIND_SNAPSHOT, UNRECOGNIZED ->
          throw invalid(
              "kind", "unknown; give LAYER_KIND_BASE, LAYER_KIND_WORKSPACE or LAYER_KIND_TOOLKIT");
    };
  }

  private static String source(ImportEnvironmentRequest asked) {
    SourceCase source = asked.getSourceCase();
    return switch (source) {
      case BUILTIN -> "builtin:" + builtin(asked.getBuiltin());
      case DIRECTORY -> "directory:" + Fields.path("directory", asked.getDirectory());
      case TAR -> "tar:" + Fields.path("tar", asked.getTar());
      case UPLOAD -> "upload";
      case IMAGE -> "image:" + ImageImport.reference(asked.getImage());
      case SOURCE_NOT_SET ->
          throw invalid("source", "it is missing; give builtin, directory, tar, upload or image");
    };
  }

  private static String builtin(String name) {
    if (!name.equals("busybox") && !name.equals("debian")) {
      throw invalid("builtin", Fields.shown(name) + " is unknown; give busybox or debian");
    }
    return name;
  }
}
