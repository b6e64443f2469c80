/**
 * Leaves out of the bundle what libraries load at their start and a pass never uses. Each of these is a good part of a
 * pass's CPU, and a pass runs every minute (`npm run bench -- --only start-up`):
 *
 * - gRPC. Firestore is spoken to over REST (`preferRest`) and GKE by its client's HTTP fallback; that library loads gRPC
 *   all the same. Whatever would call it fails with "is not a function", and a test brings each client to its service.
 * - Kubernetes' API classes, for whoever reads a kubeconfig. That part of the client wants two names of the index that
 *   loads them all.
 * - zod's messages in forty languages. English is what it speaks unless told.
 * - What @google-cloud/logging loads to speak to its API, and the middleware for a web server. Lines go to stdout; the
 *   library makes its clients and their credentials even so, and they only have to be there.
 * - The message classes that protobufjs wrote for Firestore and for three small services of every Google client, 2 MB of
 *   source that is handed on to whoever wants it. The clients themselves read the descriptions in JSON beside them.
 * - Streams for a Node that has none.
 */
import type { Plugin } from 'esbuild';

/** A class to extend, and credentials for the emulator that are handed on to nobody. */
const GRPC = `
module.exports = { Client: class {}, credentials: { createInsecure: () => undefined } };
`;

const LOGGING_API = `
class Client {
  static scopes = [];
}
module.exports = {
  protos: {},
  ConfigServiceV2Client: Client,
  LoggingServiceV2Client: Client,
  MetricsServiceV2Client: Client,
};
`;

/** To be made, and never asked. */
const LOGGING_CREDENTIALS = `
module.exports = { GoogleAuth: class {} };
`;

/** One class is named at the start, for pipelines. */
const FIRESTORE_MESSAGES = `
module.exports = { google: { firestore: { v1: {} } } };
`;

const KUBERNETES_INDEX = `
export { createConfiguration } from './gen/configuration.js';
export { ServerConfiguration } from './gen/servers.js';
`;

interface Part {
  /** As it is imported. */
  readonly path: RegExp;
  /** Where; everywhere unless said. */
  readonly importer?: RegExp;
  readonly instead: string;
}

const NOTHING = 'module.exports = {};';
const LOGGING = /node_modules\/@google-cloud\/logging\/build\/src\//;

const PARTS: readonly Part[] = [
  { path: /^@grpc\/grpc-js$/, instead: GRPC },
  { path: /^@grpc\/proto-loader$/, instead: NOTHING },
  { path: /^@google-cloud\/logging-api$/, instead: LOGGING_API },
  { path: /^google-gax$/, importer: LOGGING, instead: LOGGING_CREDENTIALS },
  {
    path: /^(?:@google-cloud\/common|google-auth-library|gcp-metadata)$/,
    importer: LOGGING,
    instead: NOTHING,
  },
  { path: /^\.\/middleware/, importer: /node_modules\/@google-cloud\/logging/, instead: NOTHING },
  { path: /^@google-cloud\/firestore-api\/build\/protos\/protos$/, instead: FIRESTORE_MESSAGES },
  {
    path: /^\.\.\/protos\/protos$/,
    importer: /@google-cloud\/firestore-api\/build\/src\//,
    instead: NOTHING,
  },
  {
    path: /\/protos\/(?:iam_service|locations|operations)$/,
    importer: /node_modules\/google-gax\//,
    instead: NOTHING,
  },
  { path: /^web-streams-polyfill\//, instead: NOTHING },
  { path: /^\.\.\/locales\/index\.js$/, importer: /node_modules\/zod\//, instead: 'export {};' },
  { path: /^\.\/gen\/index\.js$/, importer: /client-node\/dist\/config\.js$/, instead: KUBERNETES_INDEX },
];

/** Fails the build when one of the parts is no longer imported: a new version of its library has put it elsewhere. */
export function leaveOutUnusedParts(): Plugin {
  return {
    name: 'leave-out-unused-parts',
    setup(build) {
      const met = new Set<Part>();
      for (const [index, part] of PARTS.entries()) {
        const namespace = `instead-${index}`;
        build.onResolve({ filter: part.path }, ({ path, importer, resolveDir }) => {
          if (part.importer?.test(importer) === false) return undefined;
          met.add(part);
          return { path, namespace, pluginData: { resolveDir } };
        });
        build.onLoad({ filter: /.*/, namespace }, ({ pluginData }) => ({
          contents: part.instead,
          loader: 'js',
          // Where what the replacement itself imports is looked for.
          ...(pluginData as { readonly resolveDir: string }),
        }));
      }
      build.onEnd(() => ({
        errors: PARTS.filter((part) => !met.has(part)).map(({ path, importer }) => ({
          text:
            `scripts/unused-parts.ts: nothing imports ${String(path)}` +
            `${importer === undefined ? '' : ` in ${String(importer)}`} any more; look where it went`,
        })),
      }));
    },
  };
}
