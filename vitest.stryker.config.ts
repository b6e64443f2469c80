import { defineConfig } from 'vitest/config';

/** The tests that Stryker runs for each mutant: those that take milliseconds and start nothing. */
export default defineConfig({
  test: {
    include: [
      'test/domain/**/*.test.ts',
      'test/pass/**/*.test.ts',
      'test/state/{lease,memory,open,firestore-pages,file,file-contract,stored-cluster}.test.ts',
      'test/chaos/{order,unproven}.test.ts',
      'test/fleet/{independence,turns}.test.ts',
    ],
    env: { TZ: 'UTC' },
  },
});
