/**
 * The Deployment `<pool>-placeholder`, built from the config alone, never from what was read. Its annotations tell
 * whoever runs `kubectl describe` why this many; they are no part of what is compared, so a reason that is put in
 * other words writes nothing.
 */
import type { Instant } from './instant.ts';
import {
  CHANGED_AT_ANNOTATION,
  deploymentName,
  EVENT_ANNOTATION,
  FIELD_MANAGER,
  MANAGED_BY_LABEL,
  REASON_ANNOTATION,
  selectorLabels,
  SPARES_ANNOTATION,
  TEMPLATE_HASH_ANNOTATION,
  WARMTH_LABEL,
} from './placeholder.ts';
import type { PlaceholderSettings, WantedDeployment } from './placeholder.ts';
import { hashOf } from './template-hash.ts';
import { cutTitle } from './title.ts';

export interface WantedCount {
  readonly replicas: number;
  readonly why: {
    /** One sentence, as explainDecision writes it. */
    readonly reason: string;
    /** Title of the calendar event behind the count, if there is one. */
    readonly event: string | undefined;
    /** How the spares stood at the change, as describeSpares writes it. */
    readonly spares?: string | undefined;
    readonly changedAt: Instant;
  };
  /**
   * Whether the placeholders are born with the label `warmth: cold`. Turned off, they carry no such label: the budget
   * covers every cold one, and with nobody to relabel them it would hold up every drain. Turning it on or off
   * therefore replaces the pods once, like any other change of the template.
   */
  readonly warmFirst: boolean;
}

/** Runs as nobody: the pause image's own user, named so that any image passes the restricted profile. */
const UNPRIVILEGED_USER = 65535;
const OLD_REPLICA_SETS = 1;

/** All of a Deployment but its count and its reasons. */
interface Template {
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly hash: string;
}

/** A simulation decides 300,000 times from one config, and hashing is the dearest part of a decision. */
const templates = new WeakMap<PlaceholderSettings, Map<boolean, Template>>();

export function wantedDeployment(settings: PlaceholderSettings, count: WantedCount): WantedDeployment {
  const name = deploymentName(settings.poolName);
  const { labels, spec, hash } = templateOf(settings, count.warmFirst);
  return {
    name,
    poolName: settings.poolName,
    replicas: count.replicas,
    templateHash: hash,
    manifest: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: {
        name,
        namespace: settings.namespace,
        labels,
        annotations: { [TEMPLATE_HASH_ANNOTATION]: hash, ...reasonAnnotations(count) },
      },
      spec: { replicas: count.replicas, ...spec },
    },
  };
}

function templateOf(settings: PlaceholderSettings, warmFirst: boolean): Template {
  const known = templates.get(settings) ?? new Map<boolean, Template>();
  const template = known.get(warmFirst) ?? buildTemplate(settings, warmFirst);
  templates.set(settings, known.set(warmFirst, template));
  return template;
}

function buildTemplate(settings: PlaceholderSettings, warmFirst: boolean): Template {
  const labels = { ...selectorLabels(settings.poolName), [MANAGED_BY_LABEL]: FIELD_MANAGER };
  const spec = {
    revisionHistoryLimit: OLD_REPLICA_SETS,
    // A surge would start a node of its own.
    strategy: { type: 'Recreate' },
    selector: { matchLabels: selectorLabels(settings.poolName) },
    template: podTemplate(settings, warmFirst ? { ...labels, [WARMTH_LABEL]: 'cold' } : labels),
  };
  return { labels, spec, hash: hashOf({ labels, spec }) };
}

function reasonAnnotations({ why }: WantedCount): Readonly<Record<string, string>> {
  return {
    [REASON_ANNOTATION]: why.reason,
    ...(why.spares === undefined ? {} : { [SPARES_ANNOTATION]: why.spares }),
    ...(why.event === undefined ? {} : { [EVENT_ANNOTATION]: cutTitle(why.event) }),
    [CHANGED_AT_ANNOTATION]: new Date(why.changedAt).toISOString(),
  };
}

function podTemplate(
  settings: PlaceholderSettings,
  labels: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  return {
    metadata: {
      labels,
      // The cluster autoscaler may remove the node under it: the placeholder itself keeps nothing.
      annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true' },
    },
    spec: {
      priorityClassName: settings.priorityClassName,
      // It never makes room for itself. Admission refuses the pod when its PriorityClass says otherwise.
      preemptionPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      nodeSelector: settings.nodeSelector,
      tolerations: settings.tolerations,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: UNPRIVILEGED_USER,
        runAsGroup: UNPRIVILEGED_USER,
        seccompProfile: { type: 'RuntimeDefault' },
      },
      containers: [pauseContainer(settings)],
    },
  };
}

function pauseContainer(settings: PlaceholderSettings): Readonly<Record<string, unknown>> {
  const { requests, limits } = settings;
  return {
    name: 'pause',
    image: settings.image,
    resources: Object.keys(limits).length === 0 ? { requests } : { requests, limits },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}
