import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { KEYS } from '../../functions/config/schema.ts';
import { blockNames, readTerraform, REPOSITORY, resourceAddresses } from './hcl.ts';
import { SCENARIO_KEYS } from '../../functions/simulation/scenario-schema.ts';
import { SCENARIOS } from '../../scripts/bench/scenarios.ts';
import {
  anchorOf,
  commandsOf,
  DOCS,
  headings,
  inlineCode,
  linksOf,
  readDoc,
  strayCommands,
} from './markdown.ts';

const terraform = readTerraform();
const variables = blockNames(terraform, 'variable');
const outputs = blockNames(terraform, 'output');
const packageJson = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const commands = DOCS.flatMap((doc) => commandsOf(readDoc(doc)).map((command) => ({ doc, command })));
const codes = DOCS.flatMap((doc) => inlineCode(readDoc(doc)).map((code) => ({ doc, code })));

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

function sourcesIn(folders: string): string {
  return globSync(`functions/${folders}/*.ts`, { cwd: REPOSITORY })
    .map((file) => readFileSync(inRepository(file), 'utf8'))
    .join('\n');
}

function helpOf(program: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(program, [...args, '--help'], { cwd: REPOSITORY, encoding: 'utf8' });
  return stdout + stderr;
}

test('all pages are looked at', () => {
  expect(DOCS).toEqual(expect.arrayContaining(['README.md', 'docs/failure.md', 'infra/README.md']));
  expect(DOCS.filter((doc) => doc.includes('node_modules'))).toEqual([]);
});

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
  test.each(DOCS)('of %s stand in blocks of their own', (doc) => {
    expect(strayCommands(readDoc(doc))).toEqual([]);
  });

  const folders = 'scripts|infra|functions|docs|examples|test|\\.ci';
  const files = [
    ...mentioned(new RegExp(`(?:^|[ /=])((?:${folders})/[\\w./-]+)`, 'g')),
    ...codes.map(({ code }) => code).filter((code) => new RegExp(`^(?:${folders})/[\\w./-]*$`).test(code)),
  ];
  // What a reader makes.
  const own = [
    'infra/config.yaml',
    'infra/terraform.tfvars',
    'infra/.terraform.lock.hcl',
    'examples/mine.yaml',
  ];
  test.each([...new Set(files)].filter((path) => !own.includes(path)))('the file %s is there', (path) => {
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

  const npmRuns = commands
    .flatMap(({ command }) => [...command.matchAll(/npm run (?:--silent )?([\w:-]+) -- ([^|]*)/g)])
    .map(([, script = '', rest = '']) => ({ script, flags: rest.match(/--[a-z-]+/g) ?? [] }));

  test.each(npmRuns)('npm run $script knows $flags', ({ script, flags }) => {
    const file = packageJson.scripts[script]?.replace('node ', '') ?? '';
    const source = readFileSync(inRepository(file), 'utf8');
    expect(flags.filter((flag) => !source.includes(` ${flag.slice('--'.length)}: { type: `))).toEqual([]);
  });

  test('the scenarios that can be measured are those of docs/performance.md', () => {
    const listed = [...readDoc('docs/performance.md').matchAll(/^\| `([a-z][\w-]*)` \|/gm)].map(
      ([, name]) => name,
    );
    expect(listed).toEqual(SCENARIOS.map(({ name }) => name));
    expect(listed).toEqual(expect.arrayContaining([...mentioned(/--only ([\w-]+)/g)]));
  });

  const scripts = commands
    .flatMap(({ command }) => [...command.matchAll(/(scripts\/[\w-]+\.sh)([^|]*)/g)])
    .map(([, script = '', rest = '']) => ({ script, flags: rest.match(/--[a-z-]+/g) ?? [] }));

  test.each(scripts)('$script knows $flags', ({ script, flags }) => {
    const help = helpOf(inRepository(script), []);
    expect(flags.filter((flag) => !help.includes(flag))).toEqual([]);
  });

  // With the program before it, or as a code of its own that begins with the command: `size --pool POOL`.
  const runs = [...commands.map(({ command }) => command), ...codes.map(({ code }) => `npm start -- ${code}`)]
    .flatMap((command) => [...command.matchAll(/npm start -- (pass|plan|size|simulate)\b([^|]*)/g)])
    .map(([, verb = '', rest = '']) => ({ verb, flags: rest.match(/--[a-z-]+/g) ?? [] }));

  test('the program is run in them', () => {
    const verbs = mentioned(/npm start -- ([a-z]+)/g);
    expect(verbs).toEqual(['pass', 'plan', 'simulate', 'size']);
  });

  // Each flag once: starting the program is what takes long.
  test.each([...Map.groupBy(runs, ({ verb }) => verb)])(
    'the command %s knows its flags',
    (verb, mentions) => {
      const help = helpOf(process.execPath, ['functions/main.ts', verb]);
      expect(help).toContain(verb);
      const flags = new Set(mentions.flatMap((mention) => mention.flags));
      expect([...flags].filter((flag) => !help.includes(flag))).toEqual([]);
    },
  );
});

describe('names in the text', () => {
  test.each(codes.filter(({ code }) => /^[a-z]+(?:_[a-z]+)+(?: = .*)?$/.test(code)))(
    '$doc: $code is a variable or an output of Terraform',
    ({ code }) => {
      expect([...variables, ...outputs]).toContain(code.split(' ')[0]);
    },
  );

  // What the program writes: kinds, reasons and outcomes are texts of its sources, fields are keys where it reports.
  const written = [
    ...[...sourcesIn('**').matchAll(/'([a-z]+(?:[A-Z][a-z]+)+)'/g)],
    ...[...sourcesIn('{pass,report}').matchAll(/^ +([a-z]+(?:[A-Z][a-z]+)+)(?:: |,$)/gm)],
  ].map(([, name]) => name);
  const settings = [
    ...Object.values(KEYS).flat(),
    ...Object.values(SCENARIO_KEYS).flat(),
    // Of Kubernetes.
    'unhealthyPodEvictionPolicy',
    'preemptionPolicy',
  ];
  // A setting with its value, such as `memoryThreshold: 35`, or a name alone, such as `maxReplicas`.
  test.each(codes.filter(({ code }) => /^[a-z]+(?:[A-Z][a-z]+)+: /.test(code)))(
    '$doc: $code is a setting with its value',
    ({ code }) => {
      expect(settings).toContain(code.split(':')[0]);
    },
  );

  test.each(codes.filter(({ code }) => /^[a-z]+(?:[A-Z][a-z]+)+$/.test(code)))(
    '$doc: $code is a setting, or what the program writes',
    ({ code }) => {
      expect([...settings, ...written]).toContain(code);
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
