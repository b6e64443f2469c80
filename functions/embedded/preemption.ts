/**
 * Whom a pod evicts, in kube-scheduler's own order (`pickOneNodeForPreemption`): the node with the fewest violated
 * disruption budgets, then the lowest of the highest victim priorities, the smallest sum of priorities, the fewest
 * victims, and last the LATEST start of its most important victim: the newest placeholder goes first.
 */
import type { Instant } from '../domain/instant.ts';
import { countBudget, covers } from './disruption.ts';
import type { ClusterModel } from './model.ts';
import { add, isTerminal } from './model.ts';
import type { Budget, Node, Pod, Resources } from './objects.ts';
import { admits, hasRoom, usedWithNominated } from './placement.ts';
import { violatedSpread } from './topology-spread.ts';

export interface Eviction {
  readonly node: Node;
  readonly victims: readonly Pod[];
}

interface Candidate extends Eviction {
  /** How many victims a budget would have spared. */
  readonly violations: number;
}

export function chooseEviction(model: ClusterModel, pod: Pod): Eviction | undefined {
  if (!pod.mayPreempt || isWaitingForVictims(pod)) return undefined;
  const allowances = allowancesOf(model);
  const candidates: Candidate[] = [];
  for (const node of model.nodes.values()) {
    const candidate = victimsOn(model, { node, pod, allowances });
    if (candidate !== undefined) candidates.push(candidate);
  }
  return pickCandidate(candidates, model.clock.now());
}

/** Victims of an earlier choice are still on their way out: the scheduler waits for them instead of choosing again. */
function isWaitingForVictims(pod: Pod): boolean {
  const leaving = [...(pod.nominatedNode?.pods ?? [])].filter((other) => other.meta.deletionAt !== undefined);
  return leaving.some((other) => other.priority < pod.priority);
}

type Allowances = readonly { readonly budget: Budget; readonly allowed: number }[];

function allowancesOf(model: ClusterModel): Allowances {
  return [...model.budgets.values()].map((budget) => ({
    budget,
    allowed: countBudget(model, budget).disruptionsAllowed,
  }));
}

interface Question {
  readonly node: Node;
  readonly pod: Pod;
  readonly allowances: Allowances;
}

/** Takes every lower pod away, then gives back as many as fit, budgets' pods and important ones first. */
function victimsOn(model: ClusterModel, question: Question): Candidate | undefined {
  const { node, pod } = question;
  if (admits(node, pod.needs).kind !== 'fits') return undefined;
  if (violatedSpread(model, node, pod) !== undefined) return undefined;
  const lower = [...node.pods].filter((other) => other.priority < pod.priority && !isTerminal(other));
  if (lower.length === 0) return undefined;
  let room = without(usedWithNominated(model, node, pod), lower);
  if (hasRoom(node, room, pod.needs).kind !== 'fits') return undefined;

  const now = model.clock.now();
  const { violating, others } = splitByBudgets(lower.sort(byImportance(now)), question.allowances);
  const victims: Pod[] = [];
  let violations = 0;
  for (const other of [...violating, ...others]) {
    const withOther = { ...add(room, other.needs), pods: room.pods + 1 };
    if (hasRoom(node, withOther, pod.needs).kind === 'fits') {
      room = withOther;
      continue;
    }
    victims.push(other);
    if (violating.includes(other)) violations += 1;
  }
  return { node, victims: victims.sort(byImportance(now)), violations };
}

function without(
  used: Resources & { readonly pods: number },
  gone: readonly Pod[],
): Resources & { readonly pods: number } {
  let { cpuMillis, memoryBytes } = used;
  for (const pod of gone) {
    cpuMillis -= pod.needs.cpuMillis;
    memoryBytes -= pod.needs.memoryBytes;
  }
  return { cpuMillis, memoryBytes, pods: used.pods - gone.length };
}

/** A budget's allowance is used up pod by pod; those past it would violate it. */
function splitByBudgets(
  pods: readonly Pod[],
  allowances: Allowances,
): { readonly violating: readonly Pod[]; readonly others: readonly Pod[] } {
  const left = new Map(allowances.map(({ budget, allowed }) => [budget, allowed]));
  const violating: Pod[] = [];
  const others: Pod[] = [];
  for (const pod of pods) {
    const covering = [...left.keys()].filter((budget) => covers(budget, pod));
    for (const budget of covering) left.set(budget, (left.get(budget) ?? 0) - 1);
    (covering.some((budget) => (left.get(budget) ?? 0) < 0) ? violating : others).push(pod);
  }
  return { violating, others };
}

/** A pod that has not started counts as started now. */
function startOf(pod: Pod, now: Instant): Instant {
  return pod.startedAt ?? now;
}

/** Higher priority first, then the one that has run for longer. */
function byImportance(now: Instant): (a: Pod, b: Pod) => number {
  return (a, b) =>
    b.priority - a.priority || startOf(a, now) - startOf(b, now) || a.meta.sequence - b.meta.sequence;
}

function pickCandidate(candidates: readonly Candidate[], now: Instant): Eviction | undefined {
  const measures: readonly ((candidate: Candidate) => number)[] = [
    (candidate) => candidate.violations,
    (candidate) => candidate.victims[0]?.priority ?? Number.NEGATIVE_INFINITY,
    // Shifted as upstream shifts it, so that more victims never sum to less.
    (candidate) => candidate.victims.reduce((sum, victim) => sum + victim.priority + 2 ** 31, 0),
    (candidate) => candidate.victims.length,
    (candidate) => -startOfMostImportant(candidate.victims, now),
  ];
  let left = candidates;
  for (const measure of measures) {
    const least = Math.min(...left.map(measure));
    left = left.filter((candidate) => measure(candidate) === least);
  }
  return left[0];
}

/** The earliest start among the victims of the highest priority. */
function startOfMostImportant(victims: readonly Pod[], now: Instant): Instant {
  const highest = victims[0]?.priority;
  return Math.min(
    ...victims.filter((victim) => victim.priority === highest).map((victim) => startOf(victim, now)),
  );
}
