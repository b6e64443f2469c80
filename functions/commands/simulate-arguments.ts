/** What `simulate` is told on the command line. */
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { closestName } from '../domain/closest-name.ts';
import type { Policy } from '../simulation/policy.ts';
import { parsePolicy, POLICY_NAMES } from '../simulation/policy.ts';
import { type GivenTime, parseGivenTime } from './given-time.ts';

export interface SimulateArguments {
  readonly command: 'simulate';
  /** Undefined: the reference morning, or, with a config of one's own, each event taken for a class. */
  readonly scenario: string | undefined;
  /** ICS file or URL; undefined: the scenario's calendar, or the config's. */
  readonly calendar: string | undefined;
  /** Undefined: the only one there is. */
  readonly cluster: string | undefined;
  readonly from: GivenTime | undefined;
  readonly to: GivenTime | undefined;
  readonly seed: number;
  readonly compare: readonly Policy[];
  /** Where the HTML report goes; undefined: nowhere. */
  readonly out: string | undefined;
  readonly format: 'text' | 'json';
}

interface Options {
  readonly scenario?: string;
  readonly calendar?: string;
  readonly cluster?: string;
  readonly from?: GivenTime;
  readonly to?: GivenTime;
  readonly seed: number;
  readonly compare: readonly Policy[];
  readonly out?: string;
  readonly format: 'text' | 'json';
}

const DEFAULT_COMPARISON: readonly Policy[] = [{ kind: 'plain' }, { kind: 'none' }];

export function addSimulate(
  program: Command,
  choose: (chosen: SimulateArguments, command: Command) => void,
): void {
  program
    .command('simulate')
    .description(
      'Try config and calendar on a model cluster, pass by pass: who would wait, and what it would cost. ' +
        'Without options: the reference morning.',
    )
    .option('--scenario <file>', 'machines, people and mishaps (YAML; ready ones are in examples/scenarios)')
    .option('--calendar <ics>', "an ICS file or URL in place of the scenario's or the config's calendar")
    .option('--cluster <name>', 'which cluster of a fleet')
    .option(
      '--from <time>',
      'start there: 2026-09-01 or 2026-09-01T08:00 in the zone of the scenario or the calendar, or with an offset, 2026-09-01T08:00-07:00',
      parseGivenTime,
    )
    .option('--to <time>', 'end there', parseGivenTime)
    .option('--seed <n>', 'another seed draws other people and times', parseSeed, 1)
    .addOption(
      new Option(
        '--compare <policies>',
        `run these on the same arrivals too: ${POLICY_NAMES.join(', ')}; nothing for none`,
      )
        .argParser(parsePolicies)
        .default(DEFAULT_COMPARISON, 'plain,none'),
    )
    .option('--out <file>', 'write the report there, one HTML file that opens offline')
    .addOption(new Option('--format <format>', 'how to print it').choices(['text', 'json']).default('text'))
    .action((options: Options, command: Command) => {
      const { scenario, calendar, cluster, from, to, seed, compare, out, format } = options;
      choose(
        {
          command: 'simulate',
          scenario,
          calendar,
          cluster,
          from,
          to,
          seed,
          compare,
          out,
          format,
        },
        command,
      );
    });
}

/** @throws InvalidArgumentError */
export function parseSeed(text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    throw new InvalidArgumentError('It must be a whole number of at most nine digits.');
  }
  return Number(text);
}

/** Every name that is none is told at once. */
function parsePolicies(text: string): readonly Policy[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name, index, all) => name !== '' && name !== 'nothing' && all.indexOf(name) === index);
  const unknown = names.filter((name) => parsePolicy(name) === undefined);
  if (unknown.length > 0) {
    throw new InvalidArgumentError(unknown.map(explainUnknown).join(' '));
  }
  return names.flatMap((name) => parsePolicy(name) ?? []);
}

function explainUnknown(name: string): string {
  if (name.startsWith('constant:')) return `"${name}" is no policy; N of constant:N goes from 0 to 999.`;
  const near = closestName(name, POLICY_NAMES);
  const hint = near === undefined ? `they are ${POLICY_NAMES.join(', ')}.` : `did you mean ${near}?`;
  return `"${name}" is no policy; ${hint}`;
}
