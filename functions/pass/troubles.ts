/**
 * What an operator should hear besides the counts. Warnings are said once and again when they come back; errors,
 * which keep a pool from working, on every pass until they are gone.
 */
import type { PoolPlan, ClusterPlan } from './plan.ts';
import { findPoolProblems } from '../domain/pool-problems.ts';
import type { Problem } from '../domain/problem.ts';
import type { Finding } from '../domain/event.ts';
import type { ClusterObjects, ClusterReading } from '../ports.ts';
import type { EventSet } from './events.ts';
import type { ClusterJob } from './job.ts';
import {
  GRANT,
  hasObjectError,
  lackingBudget,
  lackingPatch,
  PATCH_FORBIDDEN,
  priorityProblems,
  RIGHT,
} from './objects.ts';
import type { Once } from './once.ts';

/** Prefixes of what is said once: what a pass could not look at stays said. */
const FINDING = 'finding:';
const POOL = 'pool:';
const OBJECT = 'object:';
const NOTICE = 'notice:';
export const ONCE_KINDS = [FINDING, POOL, OBJECT, RIGHT, NOTICE] as const;

/** Pools that a line on a cap lists; the reason of each says its own cut. */
const MOST_CUTS = 20;

interface Scene {
  readonly plan: ClusterPlan;
  readonly reading: ClusterReading;
  readonly events: EventSet;
  /** As found by this pass, or by the last that looked. */
  readonly objects: ClusterObjects | undefined;
}

/** True when there is an error among them. */
export function reportTroubles(job: ClusterJob, once: Once, scene: Scene): boolean {
  for (const notice of job.notices) {
    once.say(`${NOTICE}${notice}`, () => {
      job.log.info('config notice', { notice });
    });
  }
  reportFindings(job, once, scene);
  reportExcesses(job, once, scene.plan);
  const { objects } = scene;
  const problems = [
    objectProblems(job, once, objects),
    ...scene.plan.pools.map((pool) => poolProblems(job, once, { pool, reading: scene.reading, objects })),
  ];
  return problems.some((hasError) => hasError);
}

// ---- calendar ----

/** All findings of this calendar that are in force; undefined when this pass has no fresh reading of it. */
function findingsOf({ events, plan }: Pick<Scene, 'events' | 'plan'>): readonly Finding[] {
  return events.standing === 'fresh' ? [...events.findings, ...plan.findings] : [];
}

/**
 * Those that a person should mend: what was understood, or asks for nothing, is no reason for an alert. Counted where
 * they are reported, or one slip would alarm once for each cluster that shares the calendar.
 */
export function countProblems(job: ClusterJob, scene: Pick<Scene, 'events' | 'plan'>): number {
  if (!reportsFindings(job)) return 0;
  return findingsOf(scene).filter(({ severity }) => severity === 'warning').length;
}

function reportsFindings({ calendar, settings }: ClusterJob): boolean {
  return calendar?.reporter === settings.name;
}

function reportFindings(job: ClusterJob, once: Once, scene: Scene): void {
  if (!reportsFindings(job) || scene.events.standing !== 'fresh') {
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

function reportExcesses(job: ClusterJob, once: Once, { excesses }: ClusterPlan): void {
  for (const { cap, asked, allowed, cuts } of excesses) {
    once.say(`${POOL}${cap.name}:${asked}`, () => {
      job.log.warn('events ask for more than several pools may hold', {
        setting: cap.name,
        asked,
        allowed,
        shared: listCuts(cuts),
        remedy: `raise ${cap.name}, or lower the counts of overlapping events; the excess was shared out`,
      });
    });
  }
}

/** Such as `hub-west/base 5 of 9`. */
function listCuts(cuts: ClusterPlan['excesses'][number]['cuts']): readonly string[] {
  const shown = cuts
    .slice(0, MOST_CUTS)
    .map(({ pool, asked, left }) => `${pool.cluster}/${pool.pool} ${left} of ${asked}`);
  return cuts.length > MOST_CUTS ? [...shown, `and ${cuts.length - MOST_CUTS} more`] : shown;
}

// ---- cluster ----

function objectProblems(job: ClusterJob, once: Once, objects: ClusterObjects | undefined): boolean {
  if (objects === undefined) return false;
  if (objects.priorityClass.kind === 'forbidden') {
    once.say(`${RIGHT}priority-class`, () => {
      const problem = `the job lacks {apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], verbs: ["get"]} in a ClusterRole; ${GRANT}`;
      job.log.warn('priority class cannot be checked', { problem });
    });
  }
  const problems = priorityProblems(job.settings, objects);
  return reportProblems(job, once, { fingerprint: `${OBJECT}${job.settings.priorityClassName}`, problems });
}

interface PoolScene {
  readonly pool: PoolPlan;
  readonly reading: ClusterReading;
  readonly objects: ClusterObjects | undefined;
}

function poolProblems(job: ClusterJob, once: Once, { pool: plan, reading, objects }: PoolScene): boolean {
  const { settings, placeholder } = plan.pool;
  const { assessment, live } = plan;
  const found = findPoolProblems({
    assessment,
    placeholder,
    nodes: reading.nodes.filter((node) => node.poolLabel === settings.nodeLabel),
    usage: reading.usage,
    live,
    now: job.now,
  });
  // Pods that are refused for want of their class would be a second line for the one fault.
  const problems = hasObjectError(job.settings, objects)
    ? found.filter(({ code }) => code !== 'replica-failure')
    : found;
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

/** Whether a placeholder could be marked warm in this pass; `untried` when none was to be. */
export type PatchRight = 'works' | 'forbidden' | 'untried';

interface WarmFirstScene {
  readonly objects: ClusterObjects | undefined;
  readonly patch: PatchRight;
}

/** One line for all that warm first lacks: it is one command that grants all of it. */
export function reportWarmFirst(job: ClusterJob, once: Once, { objects, patch }: WarmFirstScene): void {
  if (patch === 'untried') once.keep(PATCH_FORBIDDEN);
  // What every pass fails for comes first: the same command mends it, and then there is more to see.
  if (!job.settings.warmFirst || hasObjectError(job.settings, objects)) return;
  const lacks = [
    ...(objects === undefined ? [] : lackingBudget(job.settings, objects.warmBudget)),
    ...(patch === 'forbidden' ? [lackingPatch(job.settings)] : []),
  ];
  const unsaid: string[] = [];
  for (const { fingerprint, what } of lacks) {
    once.say(fingerprint, () => {
      unsaid.push(what);
    });
  }
  if (unsaid.length === 0) return;
  const problem = `${unsaid.join('; ')}: users may be sent to cold nodes first; ${GRANT}`;
  job.log.warn('warm first works without all that it needs', { problem });
}
