import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';

import { readTerraform, REPOSITORY } from './hcl.ts';

interface BuildStep {
  readonly id: string;
  readonly name: string;
  readonly entrypoint?: string;
  readonly args: readonly string[];
}

interface Build {
  readonly substitutions: Readonly<Record<string, string>>;
  readonly options: { readonly logging: string };
  readonly steps: readonly BuildStep[];
}

const dockerfile = readFileSync(join(REPOSITORY, 'Dockerfile'), 'utf8');
const build = parse(readFileSync(join(REPOSITORY, 'cloudbuild.yaml'), 'utf8')) as Build;
const packageJson = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  devDependencies: Record<string, string>;
};

function argument(name: string): string {
  return new RegExp(`^ARG ${name}=(.+)$`, 'm').exec(dockerfile)?.[1] ?? '';
}

function instructions(word: string): readonly string[] {
  return [...dockerfile.matchAll(new RegExp(`^${word} (.+)$`, 'gm'))].map(([, rest = '']) => rest);
}

function step(id: string): BuildStep | undefined {
  return build.steps.find((one) => one.id === id);
}

describe('Dockerfile', () => {
  const node = packageJson.devDependencies['node'] ?? '';

  test('both bases are pinned by digest, and by the Node that package.json pins', () => {
    expect(argument('BUILD_IMAGE')).toMatch(new RegExp(`^node:${node}-trixie-slim@sha256:[0-9a-f]{64}$`));
    expect(argument('RUNTIME_IMAGE')).toMatch(
      new RegExp(
        `^gcr\\.io/distroless/nodejs${node.split('.')[0] ?? ''}-debian13:nonroot@sha256:[0-9a-f]{64}$`,
      ),
    );
  });

  test('the last stage takes one folder from the first, and runs the bundle as nobody', () => {
    expect(instructions('FROM')).toEqual([`\${BUILD_IMAGE} AS build`, `\${RUNTIME_IMAGE}`]);
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));
    expect(last.match(/^(?:COPY|ADD|RUN|USER|ENTRYPOINT|CMD) .*$/gm)).toEqual([
      'COPY --from=build /out/ /',
      'USER 65532:65532',
      'ENTRYPOINT ["/nodejs/bin/node", "/app/main.mjs"]',
      'CMD ["--help"]',
    ]);
  });

  test('.dockerignore lets in what the build stage copies, and nothing else', () => {
    const copied = instructions('COPY')
      .filter((rest) => !rest.startsWith('--from'))
      .flatMap((rest) => rest.split(' ').slice(0, -1));
    const ignore = readFileSync(join(REPOSITORY, '.dockerignore'), 'utf8');
    const lines = ignore.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines[0]).toBe('*');
    expect(lines.slice(1).map((line) => line.replace(/^!/, ''))).toEqual(copied);
  });
});

describe('cloudbuild.yaml', () => {
  test('installs, checks, builds, compares, pushes and deploys, in this order', () => {
    expect(build.steps.map(({ id }) => id)).toEqual([
      'install',
      'lint',
      'types',
      'test',
      'build',
      'image',
      'compare',
      'push',
      'deploy',
    ]);
  });

  test('logs where its own account may', () => {
    expect(build.options.logging).toBe('CLOUD_LOGGING_ONLY');
  });

  test('tests with the image that the Dockerfile builds with', () => {
    const images = build.steps.filter(({ entrypoint }) => entrypoint === 'npm').map(({ name }) => name);
    expect(new Set(images)).toEqual(new Set([argument('BUILD_IMAGE')]));
  });

  test.each(build.steps.filter(({ args }) => args[0] === 'run').map(({ args }) => args[1] ?? ''))(
    'package.json has the script %s',
    (name) => {
      expect(packageJson.scripts).toHaveProperty([name]);
    },
  );

  test('deploys what was pushed, by its digest', () => {
    expect(step('push')?.args.join('\n')).toContain("--format='{{index .RepoDigests 0}}'");
    expect(step('deploy')?.args.at(-1)).toBe(
      `gcloud run jobs update "\${_JOB}" --region="\${_REGION}" --image="$$(cat /workspace/image.txt)"`,
    );
  });

  test('takes the substitutions that the build command gives, and no others', () => {
    const given = /--substitutions=(.*)",$/m.exec(readTerraform())?.[1] ?? '';
    const names = given.split(',').map((pair) => pair.split('=')[0]);
    expect(Object.keys(build.substitutions)).toEqual(names);
    const used = JSON.stringify(build.steps).match(/\$\{(_\w+)\}/g) ?? [];
    expect(new Set(used)).toEqual(new Set(names.map((name) => `\${${name ?? ''}}`)));
  });
});
