import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/control-plane-setup.ts', 'test/support/firestore-emulator.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Decisions must not depend on where the process runs; tests that change the zone do it in a child process.
    env: { TZ: 'UTC' },
  },
});
