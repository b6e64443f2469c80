/**
 * What an operator should hear besides the counts. Warnings are said once and again when they come back; errors,
 * which keep a pool from working, on every pass until they are gone.
 */
import type { PoolPlan, ClusterPlan } from './plan.ts';
import { findPoolProblems } from '../domain/pool-problems.ts';
import { judgePriorityClass } from '../domain/priority-class.ts';
import type { Problem } from '../domain/problem.ts';
import type { Finding } from '../domain/event.ts';
import { WARM_BUDGET_NAME } from '../domain/placeholder.ts';
import type { ClusterObjects, ClusterReading, ClusterState } from '../ports.ts';
import type { EventSet } from './events.ts';
import type { ClusterJob } from './job.ts';
import type { Once } from './once.ts';

/** Prefixes of what is said once: what a pass could not look at stays said. */
const FINDING = 'finding:';
const POOL = 'pool:';
const OBJECT = 'object:';
const RIGHT = 'right:';
const NOTICE = 'notice:';
export const ONCE_KINDS = [FINDING, POOL, OBJECT, RIGHT, NOTICE] as const;
export const PATCH_FORBIDDEN = `${RIGHT}patch-pods`;

/** The file itself has gaps where the account goes: applied as it is, it would bind the rights to nobody. */
const GRANT =
  'it is part of infra/cluster/autoscaler.yaml: scripts/render-cluster-yaml.sh --service-account EMAIL --unique-id ID | kubectl apply --server-side -f -';

interface Scene {
  readonly plan: ClusterPlan;
  readonly reading: ClusterReading;
  readonly events: EventSet;
  readonly state: ClusterState;
}

/** True when there is an error among them. */
export function reportTroubles(job: ClusterJob, once: Once, scene: Scene): boolean {
  for (const notice of job.notices) {
    once.say(`${NOTICE}${notice}`, () => {
      job.log.info('config notice', { notice });
    });
  }
  reportFindings(job, once, scene);
  reportTotal(job, once, scene.plan);
  const objects = scene.reading.objects ?? scene.state.objects;
  const problems = [
    objectProblems(job, once, objects),
    ...scene.plan.pools.map((pool) => poolProblems(job, once, { pool, reading: scene.reading })),
  ];
  return problems.some((hasError) => hasError);
}

// ---- calendar ----

/** All findings of this calendar that are in force; undefined when this pass has no fresh reading of it. */
export function findingsOf({ events, plan }: Pick<Scene, 'events' | 'plan'>): readonly Finding[] {
  return events.standing === 'fresh' ? [...events.findings, ...plan.findings] : [];
}

function reportFindings(job: ClusterJob, once: Once, scene: Scene): void {
  if (job.calendar?.reporter !== job.settings.name || scene.events.standing !== 'fresh') {
    once.keep(FINDING);
    return;
  }
  for (const finding of findingsOf(scene)) {
    once.say(`${FINDING}${fingerprintOf(finding)}`, () => {
      const fields = {
        event: 'calendar_finding',
        code: finding.code,
        calendarEvent: finding.eventTitle,
        startsAt: isoOf(finding.eventStartAt),
        line: finding.line,
        text: finding.text,
        problem: finding.message,
      };
      if (finding.severity === 'warning') job.log.warn('calendar entry needs a look', fields);
      else job.log.info('calendar entry was understood', fields);
    });
  }
}

/** The same finding in the next pass; an edited entry gives another. */
function fingerprintOf({ code, eventId, line, text }: Finding): string {
  return JSON.stringify([code, eventId, line ?? 0, text]);
}

function isoOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}

function reportTotal(job: ClusterJob, once: Once, { totalCut }: ClusterPlan): void {
  if (totalCut === undefined) return;
  const { asked, allowed } = totalCut;
  once.say(`${POOL}total:${asked}`, () => {
    job.log.warn('events ask for more than maxReplicasTotal', {
      asked,
      allowed,
      remedy: 'raise maxReplicasTotal, or lower the counts of overlapping events; the excess was shared out',
    });
  });
}

// ---- cluster ----

function objectProblems(job: ClusterJob, once: Once, objects: ClusterObjects | undefined): boolean {
  if (objects === undefined) return false;
  const { priorityClass, warmBudget } = objects;
  const name = job.settings.priorityClassName;
  if (priorityClass.kind === 'missing') {
    const message = `PriorityClass ${name} does not exist, so no placeholder can be created: ${GRANT}`;
    job.log.error('priority class is missing', { problem: message });
    return true;
  }
  if (priorityClass.kind === 'forbidden') {
    warnOnce(job, once, {
      fingerprint: `${RIGHT}priority-class`,
      message: 'priority class cannot be checked',
      problem: `the job lacks {apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], verbs: ["get"]} in a ClusterRole; ${GRANT}`,
    });
  }
  const found = priorityClass.kind === 'present' ? judgePriorityClass(name, priorityClass) : [];
  if (job.settings.warmFirst) reportBudget(job, once, warmBudget);
  return reportProblems(job, once, { fingerprint: `${OBJECT}${name}`, problems: found });
}

function reportBudget(job: ClusterJob, once: Once, budget: ClusterObjects['warmBudget']): void {
  if (budget === 'present') return;
  const what =
    budget === 'missing'
      ? 'does not exist'
      : `may not be read: the job lacks {apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: ["get"]} in a Role of ${job.settings.namespace}`;
  warnOnce(job, once, {
    fingerprint: `${OBJECT}budget`,
    message: 'warm first works without its budget',
    problem: `PodDisruptionBudget ${WARM_BUDGET_NAME} ${what}: users may be sent to cold nodes first; ${GRANT}`,
  });
}

interface PoolScene {
  readonly pool: PoolPlan;
  readonly reading: ClusterReading;
}

function poolProblems(job: ClusterJob, once: Once, { pool: plan, reading }: PoolScene): boolean {
  const { settings, placeholder } = plan.pool;
  const { assessment, live } = plan;
  const problems = findPoolProblems({
    assessment,
    placeholder,
    nodes: reading.nodes.filter((node) => node.poolLabel === settings.nodeLabel),
    usage: reading.usage,
    live,
    now: job.now,
  });
  // A limit is said again for another event; a wait of eleven minutes is the wait of ten.
  const asker = assessment.decision.demand?.eventId ?? '';
  return reportProblems(job, once, { fingerprint: `${POOL}${settings.name}:${asker}`, problems });
}

interface Reported {
  readonly fingerprint: string;
  readonly problems: readonly Problem[];
}

function reportProblems(job: ClusterJob, once: Once, { fingerprint, problems }: Reported): boolean {
  for (const { code, severity, message } of problems) {
    const fields = { event: 'problem', code, problem: message };
    if (severity === 'error') job.log.error('pool does not work', fields);
    else
      once.say(`${fingerprint}:${code}`, () => {
        job.log.warn('pool needs a look', fields);
      });
  }
  return problems.some(({ severity }) => severity === 'error');
}

interface Warning {
  readonly fingerprint: string;
  readonly message: string;
  readonly problem: string;
}

function warnOnce(job: ClusterJob, once: Once, { fingerprint, message, problem }: Warning): void {
  once.say(fingerprint, () => {
    job.log.warn(message, { problem });
  });
}

/** The right to patch pods is tried again whenever the objects are looked at, not on every pass. */
export function mayRelabel(state: ClusterState, reading: ClusterReading): boolean {
  return reading.objects !== undefined || !state.reported.includes(PATCH_FORBIDDEN);
}

export function reportPatchForbidden(job: ClusterJob, once: Once): void {
  warnOnce(job, once, {
    fingerprint: PATCH_FORBIDDEN,
    message: 'warm first works without relabelling',
    problem: `the job lacks {apiGroups: [""], resources: ["pods"], verbs: ["patch"]} in a Role of ${job.settings.namespace}: users may be sent to cold nodes first; ${GRANT}`,
  });
}
