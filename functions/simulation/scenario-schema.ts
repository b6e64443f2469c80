/**
 * The one shape of a scenario file. The loader parses with it, and the JSON Schema that editors use is generated from
 * it. Everything has the reference morning's value unless the file says otherwise.
 */
import * as z from 'zod';
import { checkQuantity } from '../config/resources.ts';
import { checkTimeZone } from '../config/sources.ts';

/** Adds a check that answers with what is wrong, or undefined. */
function checked(check: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const problem = check(text);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });
}

const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/;
const LOCAL_DATE = /^\d{4}-\d{2}-\d{2}$/;

const localTime = checked((text) =>
  LOCAL_TIME.test(text) && isDay(text)
    ? undefined
    : 'must be a date and a time of day in the scenario’s zone, such as 2026-09-07T09:00',
);
const localDay = checked((text) =>
  (LOCAL_DATE.test(text) || LOCAL_TIME.test(text)) && isDay(text)
    ? undefined
    : 'must be a date, such as 2026-09-07, or with a time of day, 2026-09-07T06:00',
);

/** 31 September would be read as 1 October. */
function isDay(text: string): boolean {
  const at = new Date(LOCAL_DATE.test(text) ? `${text}T00:00Z` : `${text}Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

const quantity = z
  .union([z.number(), z.string()], { error: 'must be a quantity, such as 500m, 16 or 64Gi' })
  .superRefine((value, context) => {
    const problem = checkQuantity(value);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  });

const resources = z.strictObject({
  cpu: quantity.optional().describe('CPU, such as 500m or 16.'),
  memory: quantity.optional().describe('Memory, such as 2Gi.'),
});

/** What must not sink from the first number to the second. */
function inOrder<T extends z.ZodType<[number, number]>>(pair: T): T {
  return pair.refine(([from, to]) => from <= to, { error: 'begins with the larger number: turn them round' });
}

const amount = z.number().min(0).max(1_000_000);
const spread = z
  .union(
    [
      amount,
      z.strictObject({ uniform: inOrder(z.tuple([amount, amount])) }),
      z.strictObject({ median: amount, sigma: z.number().min(0).max(3) }),
    ],
    { error: 'must be a number, { uniform: [least, most] } or { median: m, sigma: s }' },
  )
  .meta({ id: 'spread' });

const weekday = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']);
const weekly = z
  .array(weekday)
  .min(1)
  .optional()
  .describe('On these days of each week, at that time of day, from the first date to the end.');

const taint = z.strictObject({
  key: z.string().min(1),
  value: z.string().optional(),
  effect: z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']),
});

const MIN_NODES = 1;
const MAX_NODES = 20;

export const poolSchema = z
  .strictObject({
    allocatable: resources.optional().describe('What a node offers to pods; a 16 CPU, 64 GB machine on GKE.'),
    system: resources.optional().describe('What DaemonSets and other system pods ask for on each node.'),
    user: resources.optional().describe('What one user’s server asks for: 500m and 2Gi.'),
    taints: z.array(taint).optional().describe('Taints of the nodes; users tolerate them.'),
    minNodes: z.int().min(0).max(1000).optional().describe('Nodes that the pool never goes below: 1.'),
    maxNodes: z.int().min(1).max(1000).optional().describe('Nodes that the pool never goes above: 20.'),
    initialNodes: z
      .int()
      .min(0)
      .max(1000)
      .optional()
      .describe('Warm nodes at the start: as many as minNodes.'),
    bootSeconds: spread.optional().describe('From the request for a node until it is Ready: 100.'),
    pullSeconds: spread.optional().describe('From Ready until the user image is there: 480.'),
    imagePuller: z.boolean().optional().describe('Whether JupyterHub’s continuous image puller runs: true.'),
    zones: z.array(z.string().min(1)).min(1).optional().describe('Zones of the pool.'),
    locationPolicy: z.enum(['balanced', 'any']).optional().describe('How new nodes are spread over zones.'),
    spotMeanHours: z.number().min(0.1).max(10_000).optional().describe('Mean life of a spot node.'),
    pricePerNodeHour: z.number().min(0).max(10_000).optional().describe('What one node costs an hour: 1.'),
  })
  .superRefine(({ minNodes = MIN_NODES, maxNodes = MAX_NODES, initialNodes = minNodes }, context) => {
    const message = `is above maxNodes, ${String(maxNodes)}`;
    if (minNodes > maxNodes) context.addIssue({ code: 'custom', path: ['minNodes'], message });
    else if (initialNodes > maxNodes) context.addIssue({ code: 'custom', path: ['initialNodes'], message });
  });

export const eventSchema = z.strictObject({
  title: z.string(),
  description: z.string().describe('As in the calendar: pool names and counts.'),
  start: localTime.describe('When it begins, in the scenario’s zone.'),
  minutes: z.number().min(1).max(100_000).describe('How long it lasts.'),
  weekly,
});

export const classSchema = z.strictObject({
  title: z.string(),
  pool: z.string(),
  people: z.int().min(1).max(10_000),
  start: localTime.describe('When the class begins, in the scenario’s zone.'),
  arriveMinutes: inOrder(z.tuple([z.number().min(-600).max(600), z.number().min(-600).max(600)]))
    .optional()
    .describe('When people log in, in minutes from the start: [-2, 5].'),
  stayMinutes: spread.optional().describe('How long each stays: { uniform: [50, 70] }.'),
  weekly,
});

export const trickleSchema = z.strictObject({
  pool: z.string(),
  peoplePerHour: z.number().min(0).max(10_000),
  hours: inOrder(z.tuple([z.number().min(0).max(24), z.number().min(0).max(24)]))
    .optional()
    .describe('Times of day between which people come: [8, 22].'),
  days: z.array(weekday).min(1).optional().describe('Days on which they come: all.'),
  stayMinutes: spread.optional().describe('How long each stays: { median: 60, sigma: 0.6 }.'),
});

export const stockOutSchema = z.strictObject({
  pool: z.string(),
  zone: z.string().optional().describe('Left out: all zones.'),
  start: localTime,
  minutes: z.number().min(1).max(100_000),
});

export const faultsSchema = z.strictObject({
  nodeQuota: z.int().min(0).max(10_000).optional().describe('Nodes over all pools that the quota allows.'),
  stockOuts: z.array(stockOutSchema).optional().describe('Times in which the cloud has no machine to give.'),
});

export const scenarioSchema = z
  .strictObject({
    name: z.string().min(1).describe('How the report calls it.'),
    timeZone: checked(checkTimeZone).optional().describe('Zone of all times in the file: UTC.'),
    from: localDay.describe('Where it begins.'),
    to: localDay.describe('Where it ends.'),
    config: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('A config as in config.yaml, in place of --config.'),
    calendar: z.array(eventSchema).optional().describe('Events, in place of --calendar or the config’s own.'),
    pools: z.record(z.string(), poolSchema).optional().describe('Machines and users, by pool of the config.'),
    classes: z.array(classSchema).optional().describe('People who come together.'),
    trickle: z.array(trickleSchema).optional().describe('People who come one by one.'),
    cullMinutes: z
      .number()
      .min(0)
      .max(1440)
      .optional()
      .describe('How long a server stays idle before it is culled: 0.'),
    faults: faultsSchema.optional(),
  })
  .describe('A scenario of `simulate`: machines, people and mishaps.');

export type ScenarioFile = z.output<typeof scenarioSchema>;
export type PoolFile = z.output<typeof poolSchema>;
export type Spread = z.output<typeof spread>;
export type Weekday = z.output<typeof weekday>;

/** Known keys by the place where they stand, for saying what an unknown one was probably meant to be. */
export const SCENARIO_KEYS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(scenarioSchema.shape),
  pools: Object.keys(poolSchema.shape),
  calendar: Object.keys(eventSchema.shape),
  classes: Object.keys(classSchema.shape),
  trickle: Object.keys(trickleSchema.shape),
  faults: Object.keys(faultsSchema.shape),
  stockOuts: Object.keys(stockOutSchema.shape),
};
