import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { KEYS } from '../../functions/config/schema.ts';
import { blockNames, readTerraform, REPOSITORY, resourceAddresses } from './hcl.ts';
import { anchorOf, commandsOf, DOCS, headings, inlineCode, linksOf, readDoc } from './markdown.ts';

const terraform = readTerraform();
const variables = blockNames(terraform, 'variable');
const outputs = blockNames(terraform, 'output');
const packageJson = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const commands = DOCS.flatMap((doc) => commandsOf(readDoc(doc)).map((command) => ({ doc, command })));

function inRepository(path: string): string {
  return join(REPOSITORY, path);
}

/** Every match of the pattern's first group in the documented commands. */
function mentioned(pattern: RegExp): readonly string[] {
  const found = commands.flatMap(({ command }) =>
    [...command.matchAll(pattern)].map(([, name = '']) => name),
  );
  return [...new Set(found)].sort();
}

function helpOf(program: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(program, [...args, '--help'], { cwd: REPOSITORY, encoding: 'utf8' });
  return stdout + stderr;
}

describe('links', () => {
  const links = DOCS.flatMap((doc) => linksOf(doc));

  test.each(links)('$from: $file is there', ({ file }) => {
    expect(existsSync(inRepository(file))).toBe(true);
  });

  test.each(links.filter(({ anchor }) => anchor !== undefined))('$from: $file#$anchor is there', (link) => {
    expect(headings(readDoc(link.file)).map(anchorOf)).toContain(link.anchor);
  });
});

describe('documented commands', () => {
  test.each(
    mentioned(/(?:^|[ /=])((?:scripts|infra|functions|docs)\/[\w./-]+)/g).filter(
      (path) => path !== 'infra/config.yaml' && path !== 'infra/terraform.tfvars',
    ),
  )('the file %s is there', (path) => {
    expect(existsSync(inRepository(path))).toBe(true);
  });

  test.each(mentioned(/terraform[^|]* output(?: -raw)? (\w+)/g))('Terraform has the output %s', (name) => {
    expect(outputs).toContain(name);
  });

  test.each(mentioned(/-var=(\w+)=/g))('Terraform has the variable %s', (name) => {
    expect(variables).toContain(name);
  });

  test.each(mentioned(/ import (\S+) /g))('Terraform has the resource %s', (address) => {
    expect(resourceAddresses(terraform)).toContain(address);
  });

  test.each(mentioned(/npm run (?:--silent )?([\w:-]+)/g))('package.json has the script %s', (name) => {
    expect(packageJson.scripts).toHaveProperty([name]);
  });

  const scripts = commands
    .flatMap(({ command }) => [...command.matchAll(/(scripts\/[\w-]+\.sh)([^|]*)/g)])
    .map(([, script = '', rest = '']) => ({ script, flags: rest.match(/--[a-z-]+/g) ?? [] }));

  test.each(scripts)('$script knows $flags', ({ script, flags }) => {
    const help = helpOf(inRepository(script), []);
    expect(flags.filter((flag) => !help.includes(flag))).toEqual([]);
  });

  const runs = commands
    .flatMap(({ command }) => [...command.matchAll(/npm start -- (\w+)([^|]*)/g)])
    .map(([, verb = '', rest = '']) => ({ verb, flags: rest.match(/--[a-z-]+/g) ?? [] }));

  test('the program is run in them', () => {
    expect(new Set(runs.map(({ verb }) => verb))).toEqual(new Set(['pass', 'plan', 'size']));
  });

  test.each(runs)('the command $verb knows $flags', ({ verb, flags }) => {
    const help = helpOf(process.execPath, ['functions/main.ts', verb]);
    expect(help).toContain(verb);
    expect(flags.filter((flag) => !help.includes(flag))).toEqual([]);
  });
});

describe('names in the text', () => {
  const codes = DOCS.flatMap((doc) => inlineCode(readDoc(doc)).map((code) => ({ doc, code })));

  test.each(codes.filter(({ code }) => /^[a-z]+(?:_[a-z]+)+(?: = .*)?$/.test(code)))(
    '$doc: $code is a variable or an output of Terraform',
    ({ code }) => {
      expect([...variables, ...outputs]).toContain(code.split(' ')[0]);
    },
  );

  // A setting with its value, such as `memoryThreshold: 35`, or alone, such as `maxReplicas`.
  const logFields = ['exitCode', 'durationMs', 'warmBy', 'pendingMessage', 'unhealthyPodEvictionPolicy'];
  const settings = [...KEYS.file, ...KEYS.cluster, ...KEYS.pool, ...KEYS.chartOnly, ...logFields];
  test.each(codes.filter(({ code }) => /^[a-z]+(?:[A-Z][a-z]+)+(?::.*)?$/.test(code)))(
    '$doc: $code is a setting of the config or a field of the log',
    ({ code }) => {
      expect(settings).toContain(code.split(':')[0]);
    },
  );
});

describe('docs/deploy.md', () => {
  const steps = readDoc('docs/deploy.md')
    .split(/^## (?=\d+\. )/m)
    .slice(1)
    .map((step) => step.split(/^## (?!\d)/m)[0] ?? '');

  test('takes ten steps at most, numbered', () => {
    expect(steps.map((step) => Number.parseInt(step, 10))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test.each(steps.filter((step) => !step.startsWith('4.')).map((step) => [step.split('\n')[0], step]))(
    'step %s says what to see',
    (_title, step) => {
      expect(step).toMatch(/[Yy]ou\s+should\s+see/);
    },
  );

  test('names the steps of the build as they are', () => {
    const listed = /\(([^)]*)\)\s+and at the end `STATUS: SUCCESS`/.exec(readDoc('docs/deploy.md'))?.[1];
    const build = readFileSync(inRepository('cloudbuild.yaml'), 'utf8');
    const ids = [...build.matchAll(/^ {2}- id: (\w+)/gm)].map(([, id]) => id);
    expect(listed?.split(/,\s+/)).toEqual(ids);
  });
});

describe('what it costs', () => {
  const minutes = 43_800;
  const cpu = { price: 0.000018, free: 240_000 };
  const memory = { price: 0.000002, free: 450_000 };

  function cost(runs: number): { readonly cpu: number; readonly memory: number } {
    return {
      cpu: Math.max(0, runs * 60 - cpu.free) * cpu.price,
      memory: Math.max(0, runs * 60 * 0.5 - memory.free) * memory.price,
    };
  }

  const text = readDoc('docs/deploy.md');

  test.each([
    ['CPU, every minute', cost(minutes).cpu, `at ${String(cpu.price)} | `],
    ['memory, every minute', cost(minutes).memory, `at ${String(memory.price)} | `],
    ['every five minutes', cost(minutes / 5).cpu + cost(minutes / 5).memory, 'the job costs '],
    [
      'two tasks every minute',
      cost(minutes * 2).cpu + cost(minutes * 2).memory,
      'two tasks every minute cost ',
    ],
  ])('%s', (_name, dollars, before) => {
    expect(text.replace(/\s+/g, ' ')).toContain(`${before}${dollars.toFixed(2)}`);
  });

  test('every fifteen minutes costs nothing', () => {
    expect(cost(minutes / 15)).toEqual({ cpu: 0, memory: 0 });
    expect(text).toMatch(/at every 15 minutes nothing/);
  });
});
