/** What is left out of the bundle is looked for by name: a library that moves it must not go unnoticed. */
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { leaveOutUnusedParts } from '../../scripts/unused-parts.ts';

async function errorsOf(source: string): Promise<readonly string[]> {
  try {
    await build({
      stdin: { contents: source, resolveDir: import.meta.dirname },
      bundle: true,
      platform: 'node',
      write: false,
      logLevel: 'silent',
      plugins: [leaveOutUnusedParts()],
    });
    return [];
  } catch (error) {
    return (error as { readonly errors: readonly { readonly text: string }[] }).errors.map(
      ({ text }) => text,
    );
  }
}

test('a part that nothing imports any more fails the build, by name', async () => {
  const errors = await errorsOf('');
  expect(errors).toContain(
    'scripts/unused-parts.ts: nothing imports /^@grpc\\/grpc-js$/ any more; look where it went',
  );
  expect(errors).toContainEqual(expect.stringMatching(/nothing imports .*google-gax.* in .*logging/));
});

test('a part that is imported is not among them', async () => {
  const errors = await errorsOf(`require('@grpc/grpc-js')`);
  expect(errors).not.toEqual([]);
  expect(errors).not.toContainEqual(expect.stringContaining('grpc-js'));
});
