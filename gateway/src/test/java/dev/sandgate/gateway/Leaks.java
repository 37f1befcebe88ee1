// SPDX-FileCopyrightText: 2026 The Sandgate Authors
// SPDX-License-Identifier: Apache-2.0
package dev.sandgate.gateway;

import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Fails a test class during which a buffer was lost; every buffer is tracked. */
public final class Leaks implements BeforeAllCallback, AfterAllCallback {

  private static final List<String> LEAKS = new CopyOnWriteArrayList<>();

  @Override
  public void beforeAll(ExtensionContext context) {
    if (ResourceLeakDetector.getLevel() != ResourceLeakDetector.Level.PARANOID) {
      throw new IllegalStateException("run with -Dio.netty.leakDetectionLevel=paranoid");
    }
    ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new Recording());
  }

  @Override
  public void afterAll(ExtensionContext context) {
    System.gc();
    io.netty.buffer.PooledByteBufAllocator.DEFAULT.directBuffer(1).release();
    if (!LEAKS.isEmpty()) {
      List<String> found = List.copyOf(LEAKS);
      LEAKS.clear();
      throw new AssertionError("leaked: " + found);
    }
  }

  private static final class Recording extends ResourceLeakDetectorFactory {
    @Override
    @Deprecated
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
        Class<T> resource, int samplingInterval, long maxActive) {
      return detector(resource, samplingInterval);
    }

    @Override
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
        Class<T> resource, int samplingInterval) {
      return detector(resource, samplingInterval);
    }

    private static <T> ResourceLeakDetector<T> detector(Class<T> resource, int samplingInterval) {
      return new ResourceLeakDetector<>(resource, samplingInterval) {
        @Override
        protected void reportTracedLeak(String resourceType, String records) {
          LEAKS.add(resourceType + records);
        }

        @Override
        protected void reportUntracedLeak(String resourceType) {
          LEAKS.add(resourceType);
        }
      };
    }
  }
}
