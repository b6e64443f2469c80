import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:https';

import { tokenOf, type UserName } from './files.ts';

/** Where a running control plane is and how to speak to it. */
export interface ControlPlaneInfo {
  readonly server: string;
  readonly caFile: string;
  readonly kubeconfigs: Readonly<Record<UserName, string>>;
  readonly auditLog: string;
  /** Logs of the programs, one file each. */
  readonly folder: string;
}

/** Whether the API server answers, with its start-up work (default roles, priority classes) done. */
export async function isReady(info: ControlPlaneInfo): Promise<boolean> {
  if (!existsSync(info.caFile)) return false;
  const ca = readFileSync(info.caFile);
  return await new Promise((resolve) => {
    const headers = { authorization: `Bearer ${tokenOf('admin')}` };
    request(`${info.server}/readyz`, { ca, headers, timeout: 2000, agent: false }, (response) => {
      response.resume().on('end', () => {
        resolve(response.statusCode === 200);
      });
    })
      .on('timeout', function (this: { destroy(): void }) {
        this.destroy();
      })
      .on('error', () => {
        resolve(false);
      })
      .end();
  });
}
