/** Plausible mistakes, each of which must turn a test red: see mutations.ts. */
export interface Mutation {
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** Where a test is to notice. */
  readonly tests: readonly string[];
}

export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'return the empty set on a calendar error',
    file: 'functions/pass/events.ts',
    find: "return { kind: 'unreadable', label, error: stop.aborted ? error : orTooSlow(error, name) };",
    replace: "return { kind: 'read', label, timeZone: 'UTC', events: [], findings: [] };",
    tests: ['test/pass'],
  },
  {
    name: 'drop the fence check',
    file: 'functions/state/lease.ts',
    find: 'return record.fence === lease.fence && record.owner === lease.owner;',
    replace: 'return record.fence >= 0;',
    tests: ['test/state/lease.test.ts', 'test/chaos/interleavings.test.ts'],
  },
  {
    name: 'treat an unreadable quantity as 0',
    file: 'functions/domain/pod-requests.ts',
    find: 'problems.push(',
    replace: 'void (',
    tests: ['test/domain'],
  },
  {
    name: 'save before the lease',
    file: 'functions/pass/claim.ts',
    find: 'const answer = await state.acquire(',
    replace:
      'await state.save(settings.name, { lease: { owner, fence: 0, expiresAt: now }, state: {}, release: false }, deadline.forState()).catch(() => undefined);\n  const answer = await state.acquire(',
    tests: ['test/chaos/order.test.ts'],
  },
  {
    name: 'swallow a 403',
    file: 'functions/pass/apply.ts',
    find: "if (error instanceof OutsideError) return { kind: 'failed', error };",
    replace:
      "if (error instanceof OutsideError) return error.kind === 'forbidden' ? { kind: 'unchanged' } : { kind: 'failed', error };",
    tests: ['test/pass'],
  },
  {
    name: 'exit 0 on failure',
    file: 'functions/pass/run-pass.ts',
    find: 'return { exitCode: clusters.some(({ exitCode }) => exitCode !== 0) ? 1 : 0, clusters };',
    replace: 'return { exitCode: 0, clusters };',
    tests: ['test/pass'],
  },
  {
    name: 'forget the resourceVersion',
    file: 'functions/cluster/api.ts',
    find: 'managedFields: undefined, uid, resourceVersion }',
    replace: 'managedFields: undefined, uid }',
    tests: ['test/cluster/api.test.ts'],
  },
  {
    name: 'use wall time twice',
    file: 'functions/pass/cluster-pass.ts',
    find: 'history: collectRecords(records, job.now),',
    replace: 'history: collectRecords(records, Date.now()),',
    tests: ['test/pass', 'test/chaos/interleavings.test.ts'],
  },
  {
    name: 'apply past the deadline',
    file: 'functions/pass/apply.ts',
    find: "if (job.deadline.isOver()) return { kind: 'notReached' };",
    replace: '',
    tests: ['test/pass', 'test/chaos/interleavings.test.ts'],
  },
  {
    name: 'lower a count without the lease',
    file: 'functions/pass/apply.ts',
    find: 'return live === undefined || wanted.replicas > live.replicas;',
    replace: 'return live === undefined || wanted.replicas >= 0;',
    tests: ['test/chaos/unproven.test.ts'],
  },
  {
    name: 'believe an implausible list',
    file: 'functions/pass/read.ts',
    find: 'if (found === undefined) return;',
    replace: 'if (found === undefined || found.kind !== undefined) return;',
    tests: ['test/pass', 'test/domain/plausibility.test.ts'],
  },
  {
    name: 'let a lease last for ever',
    file: 'functions/state/lease.ts',
    find: 'return !record.isReleased && isPlausible && now < record.expiresAt;',
    replace: 'return !record.isReleased && isPlausible;',
    tests: ['test/state/lease.test.ts'],
  },
  {
    name: 'start the fencing numbers anew after a release',
    file: 'functions/state/lease.ts',
    find: 'fence: record.fence + 1,',
    replace: 'fence: record.isReleased ? 1 : record.fence + 1,',
    tests: ['test/state/lease.test.ts'],
  },
  {
    name: 'forget the busy time of a node that is idle now',
    file: 'functions/state/cluster-state.ts',
    find: 'node.lastBusyAt ?? stored.nodes.get(uid)?.lastBusyAt',
    replace: 'node.lastBusyAt',
    tests: ['test/state/memory.test.ts'],
  },
  {
    name: 'rename a state file that was not written to its end',
    file: 'functions/state/file.ts',
    find: 'await file.writeFile(text);',
    replace: 'await file.write(text);',
    tests: ['test/state/file-processes.test.ts'],
  },
  {
    name: 'overwrite a state file that cannot be read',
    file: 'functions/state/file.ts',
    find: '    return parse(text, this.#path);',
    replace: '    try { return parse(text, this.#path); } catch { return new Map(); }',
    tests: ['test/state/file.test.ts'],
  },
  {
    name: 'take status 200 for a write that was done',
    file: 'functions/cluster/patching.ts',
    find: 'if (!isIt) {',
    replace: 'if (!isIt && name === "") {',
    tests: ['test/cluster/api.test.ts'],
  },
  {
    name: 'flip the bound of the threshold',
    file: 'functions/domain/room.ts',
    find: 'free.cpu > settings.cpuThreshold',
    replace: 'free.cpu >= settings.cpuThreshold',
    tests: ['test/domain'],
  },
  {
    name: 'drop the clamp',
    file: 'functions/domain/decision.ts',
    find: 'for (const adjust of [cover(target), hold, clamp]) {',
    replace: 'for (const adjust of [cover(target), hold]) {',
    tests: ['test/domain'],
  },
  {
    name: 'drop the hold of what could not be read',
    file: 'functions/domain/decision.ts',
    find: 'for (const adjust of [cover(target), hold, clamp]) {',
    replace: 'for (const adjust of [cover(target), clamp]) {',
    tests: ['test/domain'],
  },
  {
    name: 'share the cap of a calendar with the pools of others',
    file: 'functions/domain/cap.ts',
    find: '(cap.clusters.has(cluster) ? [index] : [])',
    replace: '[index]',
    tests: ['test/domain/cap.test.ts'],
  },
  {
    name: 'lower a count since a calendar of others cannot be read',
    file: 'functions/pass/plan.ts',
    find: 'demand?.cut !== undefined && !input.otherAsks.areComplete',
    replace: 'demand?.cut !== undefined && input.otherAsks === undefined',
    tests: ['test/pass/calendars.test.ts'],
  },
  {
    name: 'let the cap of the file bound the calendar of a cluster',
    file: 'functions/config/resolve.ts',
    find: '? { ...rest, ...cluster }',
    replace: '? { ...rest, ...definedOnly({ calendarMaxReplicas }), ...cluster }',
    tests: ['test/config/caps.test.ts'],
  },
];
