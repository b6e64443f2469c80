/**
 * The one shape of the configuration. The loader parses with it, the JSON Schema that editors use is generated
 * from it (`npm run schema`), and the README's table is checked against that. Defaults are written down here and
 * applied in resolve.ts, because a pool inherits from its cluster and a cluster from the file.
 *
 * A rule about one key stands beside that key; rules about several keys are in checks.ts, so that they speak up
 * even when another key is wrong.
 */
import * as z from 'zod';
import {
  checkDnsLabel,
  checkDnsSubdomain,
  checkLabelKey,
  checkLabelValue,
  checkSelector,
} from './formats.ts';
import { checkQuantity, checkResourceName } from './resources.ts';
import { checkCalendarId, checkCalendarUrl, checkTimeZone } from './sources.ts';
import { checkClusterTarget } from './target.ts';

export const DEFAULTS = {
  calendarOverrideEnabled: false,
  calendarStaleAfter: 86_400,
  scalingStrategy: 'balanced',
  cpuThreshold: 0.2,
  memoryThreshold: 0.2,
  nodeGracePeriod: 600,
  warmFirst: true,
  nodeWarmSeconds: 600,
  userImages: [],
  imagePullerSelectors: ['component=continuous-image-puller', 'component=hook-image-puller'],
  userPodSelectors: ['component=singleuser-server'],
  nodePoolSelectorKey: 'hub.jupyter.org/pool-name',
  namespace: 'node-placeholder',
  priorityClassName: 'node-placeholder',
  placeholderImage: 'registry.k8s.io/pause:3.10.1',
  tolerations: [
    { key: 'hub.jupyter.org/dedicated', operator: 'Equal', value: 'user', effect: 'NoSchedule' },
    { key: 'hub.jupyter.org_dedicated', operator: 'Equal', value: 'user', effect: 'NoSchedule' },
  ],
  replicas: 0,
  maxReplicas: 20,
} as const;

const MAXIMUM_SECONDS = 30 * 86_400;
/** A Deployment's replicas are a 32-bit number; far below that a count is a slip of the finger already. */
const MAXIMUM_REPLICAS = 10_000;

/** Adds a check that answers with what is wrong, or undefined. */
function checkedString(check: (text: string) => string | undefined) {
  return z.string().superRefine((text, context) => {
    const problem = check(text);
    if (problem !== undefined) {
      context.addIssue({ code: 'custom', message: problem });
    }
  });
}

const ratio = z.number().min(0).max(1);
const seconds = z.int().min(0).max(MAXIMUM_SECONDS);
const count = z.int().min(0).max(MAXIMUM_REPLICAS);

const toleration = z
  .strictObject({
    key: checkedString(checkLabelKey).optional().describe("The taint's key; left out, every taint matches."),
    operator: z.enum(['Equal', 'Exists']).optional().describe('`Equal` (the default) compares the value.'),
    value: checkedString(checkLabelValue).optional().describe("The taint's value, with `Equal`."),
    effect: z
      .enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute'])
      .optional()
      .describe('Left out, every effect matches.'),
    tolerationSeconds: z.int().min(0).optional().describe('Seconds to stay, with `NoExecute`.'),
  })
  .describe('One Kubernetes toleration.')
  .meta({ id: 'toleration' });

const quantity = z
  .union([z.number(), z.string()], { error: 'must be a quantity, such as 60738518784, 56Gi or 500m' })
  .superRefine((value, context) => {
    const problem = checkQuantity(value);
    if (problem !== undefined) {
      context.addIssue({ code: 'custom', message: problem });
    }
  });

const quantities = z.record(checkedString(checkResourceName), quantity);

const resources = z
  .strictObject({
    requests: quantities
      .optional()
      .describe(
        'What one placeholder asks for: slightly less than a node has to give. `size --pool` prints it.',
      ),
    limits: quantities.optional().describe('Seldom needed: a placeholder uses nothing.'),
  })
  .describe('Resources of one placeholder pod.');

const tolerations = z.array(toleration);

/** What a pool may say for itself, and a cluster or the file for all pools below it. */
const thresholds = {
  scalingStrategy: z
    .enum(['cpu', 'mem', 'balanced'])
    .optional()
    .describe('Which free resource makes a node count as having room: `cpu`, `mem`, or `balanced` for both.')
    .meta({ default: DEFAULTS.scalingStrategy }),
  cpuThreshold: ratio
    .optional()
    .describe('A node has room when more than this part of its CPU is free: a ratio from 0 to 1.')
    .meta({ default: DEFAULTS.cpuThreshold }),
  memoryThreshold: ratio
    .optional()
    .describe('A node has room when more than this part of its memory is free: a ratio from 0 to 1.')
    .meta({ default: DEFAULTS.memoryThreshold }),
  nodeGracePeriod: seconds
    .optional()
    .describe('Seconds for which a node that is new, or was just busy, does not count as having room.')
    .meta({ default: DEFAULTS.nodeGracePeriod }),
  calendarOverrideEnabled: z
    .boolean()
    .optional()
    .describe('`true`: a calendar count above zero wins outright, whatever room there is.')
    .meta({ default: DEFAULTS.calendarOverrideEnabled }),
  nodeWarmSeconds: seconds
    .optional()
    .describe('Seconds after which a Ready node counts as warm when nothing better tells.')
    .meta({ default: DEFAULTS.nodeWarmSeconds }),
};

const pool = z
  .strictObject({
    nodeSelector: z
      .record(checkedString(checkLabelKey), checkedString(checkLabelValue))
      .optional()
      .describe("Labels of the pool's nodes. Default: `nodePoolSelectorKey` with the pool's name."),
    resources: resources.optional(),
    replicas: count
      .optional()
      .describe('The baseline: placeholders to hold when no event names the pool.')
      .meta({ default: DEFAULTS.replicas }),
    maxReplicas: count
      .optional()
      .describe('Never more placeholders than this, whatever the calendar asks.')
      .meta({ default: DEFAULTS.maxReplicas }),
    tolerations: tolerations.optional().describe('Added to the tolerations above, for this pool.'),
    ...thresholds,
  })
  .describe('One node pool under management. Its key is what calendar events name.')
  .meta({ id: 'nodePool' });

/** Names are checked in checks.ts: here, one that is wrong would hide everything below it. */
const nodePools = z.record(z.string(), pool);

/** What the file says for all clusters, and one cluster of a fleet for itself. */
const inherited = {
  calendarId: checkedString(checkCalendarId)
    .optional()
    .describe(
      'Google Calendar to read: its id from "Integrate calendar". At most one of this and `calendarUrl`.',
    ),
  calendarUrl: checkedString(checkCalendarUrl)
    .optional()
    .describe('ICS calendar to read: an https URL, or a file (relative to this one).'),
  calendarMaxReplicas: count
    .optional()
    .describe(
      'Never more placeholders than this over the pools of all clusters that read this calendar. Stands beside it.',
    ),
  calendarTimezone: checkedString(checkTimeZone)
    .optional()
    .describe("IANA zone for ICS dates and floating times. Default: the calendar's own, else UTC."),
  calendarStaleAfter: seconds
    .optional()
    .describe(
      'Seconds for which kept events may stand in for a calendar that cannot be read; then counts hold.',
    )
    .meta({ default: DEFAULTS.calendarStaleAfter }),
  ...thresholds,
  warmFirst: z
    .boolean()
    .optional()
    .describe('Let users evict the placeholders on warm nodes first. `false`: the plain rules.')
    .meta({ default: DEFAULTS.warmFirst }),
  userImages: z
    .array(z.string().min(1))
    .optional()
    .describe('Patterns (`*` matches anything) of user images; a node that has one is warm.')
    .meta({ default: DEFAULTS.userImages }),
  imagePullerSelectors: z
    .array(checkedString(checkSelector))
    .optional()
    .describe("Labels that mark an image puller's pod, `key=value` joined by commas; any entry may match.")
    .meta({ default: DEFAULTS.imagePullerSelectors }),
  userPodSelectors: z
    .array(checkedString(checkSelector))
    .optional()
    .describe("Labels that mark a user's pod, `key=value` joined by commas; any entry may match.")
    .meta({ default: DEFAULTS.userPodSelectors }),
  nodePoolSelectorKey: checkedString(checkLabelKey)
    .optional()
    .describe('Node label that tells the pools apart.')
    .meta({ default: DEFAULTS.nodePoolSelectorKey }),
  namespace: checkedString(checkDnsLabel)
    .optional()
    .describe('Namespace of the placeholder Deployments.')
    .meta({ default: DEFAULTS.namespace }),
  priorityClassName: checkedString(checkDnsSubdomain)
    .optional()
    .describe('PriorityClass of the placeholders, of value -10.')
    .meta({ default: DEFAULTS.priorityClassName }),
  placeholderImage: z
    .string()
    .min(1)
    .optional()
    .describe('Image of the placeholder pods, pinned by version.')
    .meta({ default: DEFAULTS.placeholderImage }),
  tolerations: tolerations
    .nullable()
    .optional()
    .describe('Tolerations of every placeholder. Default: the two that JupyterHub puts on user nodes.')
    .meta({ default: DEFAULTS.tolerations }),
};

const clusterTarget = checkedString(checkClusterTarget).describe(
  'Where the pools are: `projects/P/locations/L/clusters/C`, `kubeconfig`, `kubeconfig:CONTEXT` or `embedded`.',
);

const cluster = z
  .strictObject({
    cluster: clusterTarget.optional(),
    nodePools: nodePools.optional().describe('The pools of this cluster.'),
    ...inherited,
  })
  .describe('One cluster of a fleet; any key of the file may be set here for this cluster alone.')
  .meta({ id: 'cluster' });

const chartOnly = z
  .unknown()
  .optional()
  .describe('Accepted from a Helm values file; has no effect here.')
  .meta({ deprecated: true });

/** Keys of the in-cluster Helm chart that say how the chart itself is installed; nothing here depends on them. */
const chartOnlyShape = {
  affinity: chartOnly,
  enabled: chartOnly,
  fullnameOverride: chartOnly,
  global: chartOnly,
  image: chartOnly,
  imagePullSecrets: chartOnly,
  nameOverride: chartOnly,
  nodeSelector: chartOnly,
  placeholderPodLabelSelector: chartOnly,
  podAnnotations: chartOnly,
  podSecurityContext: chartOnly,
  priorityClass: chartOnly,
  rbac: chartOnly,
  replicaCount: chartOnly,
  resources: chartOnly,
  securityContext: chartOnly,
  serviceAccount: chartOnly,
};

export const configSchema = z
  .strictObject({
    cluster: clusterTarget.optional(),
    clusters: z
      .record(z.string(), cluster)
      .optional()
      .describe('A fleet: each name with its `cluster`, its `nodePools` and any key to override.'),
    nodePools: nodePools.optional().describe('The node pools under management, when there is one cluster.'),
    maxReplicasTotal: count
      .optional()
      .describe('Never more placeholders than this over all pools and clusters together.'),
    ...inherited,
    ...chartOnlyShape,
  })
  .describe('Configuration of the calendar node pool autoscaler.');

export type Config = z.output<typeof configSchema>;
export type ClusterConfig = z.output<typeof cluster>;
export type PoolConfig = z.output<typeof pool>;
export type InheritedConfig = Pick<Config, keyof typeof inherited>;
export type ThresholdConfig = Pick<PoolConfig, keyof typeof thresholds>;

/** Known keys by the kind of mapping they stand in, for telling where an unknown one was meant to be. */
export const KEYS = {
  chartOnly: Object.keys(chartOnlyShape),
  file: ['cluster', 'clusters', 'nodePools', 'maxReplicasTotal', ...Object.keys(inherited)],
  cluster: Object.keys(cluster.shape),
  pool: Object.keys(pool.shape),
  resources: Object.keys(resources.shape),
  toleration: Object.keys(toleration.shape),
} as const;
