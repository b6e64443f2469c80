/** The files that the programs of the control plane read, as text. */

/**
 * Who may speak to the API server. Each job user stands for one installation, so that test files that run at the same
 * time neither share rights nor count each other's requests.
 */
export const JOB_USERS = ['job-api', 'job-rights', 'job-pass', 'job-command', 'job-scale'] as const;
/** `numbered` is a job whose token does not tell its e-mail: the server knows it by its account's number. */
export const USERS = ['admin', 'numbered', ...JOB_USERS] as const;
export type JobUserName = (typeof JOB_USERS)[number];
export type UserName = (typeof USERS)[number];

const PROJECT = 'test-project';

/** The number of every installation's account; one user goes by it. */
export const UNIQUE_ID = '100000000000000000000';

/** What the API server calls the user: the service account's e-mail, as GKE does with a token of both scopes. */
export function emailOf(user: JobUserName): string {
  return `${user}@${PROJECT}.iam.gserviceaccount.com`;
}

export function tokenOf(user: UserName): string {
  return `token-of-${user}`;
}

export function tokenFile(): string {
  const jobs = JOB_USERS.map((user) => `${tokenOf(user)},${emailOf(user)},${user}`);
  const numbered = `${tokenOf('numbered')},${UNIQUE_ID},numbered`;
  return [`${tokenOf('admin')},admin,admin,system:masters`, numbered, ...jobs, ''].join('\n');
}

export function kubeconfig(
  user: UserName,
  cluster: { readonly server: string; readonly caFile: string },
): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'test', cluster: { server: cluster.server, 'certificate-authority': cluster.caFile } },
    ],
    users: [{ name: user, user: { token: tokenOf(user) } }],
    contexts: [{ name: user, context: { cluster: 'test', user } }],
    'current-context': user,
  });
}

/**
 * The job's requests alone, and each at its arrival: that line is on disk before the answer goes out, while the line of
 * its completion may come later than the client's next step.
 */
export function auditPolicy(): string {
  return JSON.stringify({
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['ResponseStarted', 'ResponseComplete', 'Panic'],
    rules: [{ level: 'Metadata', users: JOB_USERS.map(emailOf) }, { level: 'None' }],
  });
}

/** As installed, but for the back-off of a pod that found no node: ten seconds at most would only make tests slow. */
export function schedulerConfiguration(kubeconfigPath: string): string {
  return JSON.stringify({
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    leaderElection: { leaderElect: false },
    clientConnection: { kubeconfig: kubeconfigPath, qps: 1000, burst: 2000 },
    podInitialBackoffSeconds: 1,
    podMaxBackoffSeconds: 1,
  });
}
