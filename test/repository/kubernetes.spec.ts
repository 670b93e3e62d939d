import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { concerns, type Key } from '#config';
import { needs } from '#service';

/* The manifests in k8s/ match the program that they run: settings, secrets, routes, metrics. */

const root = join(import.meta.dirname, '../..');

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string; readonly optional?: boolean } };
  }[];
  readonly securityContext: Record<string, unknown>;
  readonly resources: { readonly limits?: Record<string, string>; readonly requests?: Record<string, string> };
}
interface Manifest {
  readonly file: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: {
    readonly template?: Template;
    /** Of a CronJob. */
    readonly jobTemplate?: { readonly spec: { readonly template: Template } };
  };
}
interface Template {
  readonly metadata: { readonly labels: Record<string, string> };
  readonly spec: {
    readonly securityContext: Record<string, unknown>;
    readonly automountServiceAccountToken: boolean;
    readonly terminationGracePeriodSeconds?: number;
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
  };
}
interface Pod extends Template {
  /** From the object that creates the pod. */
  readonly name: string;
}

const files = (await readdir(join(root, 'k8s'), { recursive: true })).filter((name) => name.endsWith('.yaml'));
const texts = new Map(await Promise.all(files.map(async (file) => [file, await readFile(join(root, 'k8s', file), 'utf8')] as const)));
const manifests: Manifest[] = [...texts].flatMap(([file, text]) =>
  parseAllDocuments(text).map((document) => ({ file, ...(document.toJS() as Omit<Manifest, 'file'>) })),
);
const pods: Pod[] = manifests.flatMap(({ spec, metadata }) => {
  const template = spec?.template ?? spec?.jobTemplate?.spec.template;
  return template ? [{ ...template, name: metadata.name }] : [];
});
const settings = new Map(
  Object.values(concerns).flatMap((keys) => Object.values<Key<unknown>>(keys).map((key) => [key.name, key] as const)),
);
const environment = (await readFile(join(root, 'k8s/base/plotline.env'), 'utf8')).split('\n');
const shared = environment.filter((line) => line.startsWith('PLOTLINE_'));
const ours = ['upload', 'ingest', 'read', 'migrate', 'admin'] as const;

/** Every operator command accesses the database, and `check` also accesses the bucket. */
const ofOperator = ['PLOTLINE_MIGRATOR_DATABASE_URL', ...needs.read.filter((need) => typeof need !== 'string')];
const required = { ...needs, admin: ofOperator };

const containerOf = (name: string): Container => pods.flatMap((pod) => pod.spec.containers).find((c) => c.name === name)!;
const ourSettings = (names: Iterable<string>): string[] => [...names].filter((name) => name.startsWith('PLOTLINE_')).sort();

describe('the manifests of k8s/', () => {
  it('are found', () => {
    expect(pods.map(({ name }) => name)).toEqual(expect.arrayContaining(ours.map((name) => `plotline-${name}`)));
  });

  it('set only known settings, and secrets only in a Secret', () => {
    const named = pods.flatMap((pod) => pod.spec.containers.flatMap((container) => container.env ?? []));
    const inConfigMaps = [...shared, ...[...texts.values()].flatMap((text) => text.match(/PLOTLINE_\w+=.*/g) ?? [])].map(
      (line) => line.split('=')[0]!,
    );
    for (const name of ourSettings([...named.map((entry) => entry.name), ...inConfigMaps])) expect([...settings.keys()]).toContain(name);
    const secret = (name: string): boolean => settings.get(name)!.type.includes('secret');
    expect(inConfigMaps.filter(secret)).toEqual([]);
    expect(named.filter(({ name, valueFrom }) => settings.has(name) && secret(name) && !valueFrom)).toEqual([]);
  });

  it('list every known setting: set, or as a comment with its default', () => {
    const defaults = new Map(
      environment.flatMap((line) => {
        const [, name, value] = /^# (PLOTLINE_\w+)=(.*)$/.exec(line) ?? [];
        return name === undefined ? [] : [[name, value!] as const];
      }),
    );
    for (const [name, value] of defaults) expect([name, value]).toEqual([name, settings.get(name)?.default ?? '']);
    const set = ours.flatMap((name) => (containerOf(name).env ?? []).map((entry) => entry.name));
    const named = new Set([...defaults.keys(), ...set, ...shared.map((line) => line.split('=')[0]!)]);
    const ofOthers = [...Object.values<Key<unknown>>(concerns.client).map(({ name }) => name), 'PLOTLINE_FAILPOINTS'];
    expect([...settings.keys()].filter((name) => !named.has(name)).sort()).toEqual(ofOthers.sort());
  });

  it.each(ours)('give %s all required settings', (name) => {
    const given = new Set([...(containerOf(name).env ?? []).map((entry) => entry.name), ...shared.map((line) => line.split('=')[0]!)]);
    const needed = required[name].map((need) => (typeof need === 'string' ? need : need.name));
    expect(needed.filter((setting) => !given.has(setting))).toEqual([]);
  });

  it('leave more time to stop than the grace period and work in progress need', () => {
    const grace = Number(shared.find((line) => line.startsWith('PLOTLINE_STOP_GRACE_SECONDS='))!.split('=')[1]);
    for (const pod of pods.filter((one) => ['upload', 'ingest', 'read'].some((name) => one.name === `plotline-${name}`)))
      expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(grace + 35);
  });

  it('give each process the same settings as Docker Compose does', async () => {
    const compose = parse(await readFile(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
      services: Record<string, { environment: Record<string, unknown> }>;
    };
    for (const name of ours) {
      const manifest = [...(containerOf(name).env ?? []).map((entry) => entry.name), ...shared.map((line) => line.split('=')[0]!)];
      const wanted = ourSettings(Object.keys(compose.services[name]!.environment));
      expect([name, wanted.filter((setting) => !manifest.includes(setting))]).toEqual([name, []]);
    }
  });

  it('need only secrets that the dev overlay creates', async () => {
    const script = await readFile(join(root, 'k8s/overlays/dev/secrets.sh'), 'utf8');
    const made = [...script.matchAll(/^([a-z0-9-]+)=/gm)].map(([, key]) => key!).filter((key) => key.includes('-'));
    const keys = pods.flatMap((pod) => pod.spec.containers.flatMap((container) => container.env ?? []));
    // The overlay does not have the probe, because its token is from the running service.
    const references = keys.flatMap(({ valueFrom }) =>
      valueFrom && valueFrom.secretKeyRef.name !== 'plotline-probe' ? [valueFrom.secretKeyRef] : [],
    );
    const asked = new Set(references.map(({ key }) => key));
    expect(references.filter(({ key, optional }) => !optional && !made.includes(key))).toEqual([]);
    expect(made.filter((key) => !asked.has(key))).toEqual([]);
  });

  it('run every container as the Pod Security standard "restricted" requires, with a memory limit', () => {
    for (const pod of pods) {
      const { containers, initContainers = [], securityContext, automountServiceAccountToken } = pod.spec;
      expect([pod.name, securityContext]).toEqual([
        pod.name,
        expect.objectContaining({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } }),
      ]);
      expect(automountServiceAccountToken).toBe(false);
      for (const container of [...containers, ...initContainers]) {
        expect([container.name, container.securityContext]).toEqual([
          container.name,
          expect.objectContaining({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true }),
        ]);
        expect(container.securityContext['capabilities']).toMatchObject({ drop: ['ALL'] });
        expect(container.resources.limits?.['memory']).toBeDefined();
        expect(container.resources.requests?.['cpu']).toBeDefined();
      }
    }
  });

  it('isolate every pod from connections that no policy allows', () => {
    const denied = manifests.find(({ metadata }) => metadata?.name === 'plotline-default-deny')!.spec as unknown as {
      readonly podSelector: { readonly matchLabels: Record<string, string> };
    };
    for (const { name, metadata } of pods)
      expect([name, metadata.labels]).toEqual([name, expect.objectContaining(denied.podSelector.matchLabels)]);
  });

  it('route each request to the same process as Docker Compose does', async () => {
    const matchers = (text: string): string[] =>
      text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => /^(path|not path|method|path_regexp) /.test(line));
    const composed = matchers((await readFile(join(root, 'docker/Caddyfile'), 'utf8')).split(':6101')[0]!);
    expect(matchers(await readFile(join(root, 'k8s/base/Caddyfile'), 'utf8'))).toEqual(composed);
  });

  it('need only prefixes to route what current clients send', () => {
    type Paths = {
      readonly rules: readonly {
        readonly http: { readonly paths: readonly { path: string; pathType: string; backend: { service: { name: string } } }[] };
      }[];
    };
    const { rules } = manifests.find(({ kind }) => kind === 'Ingress')!.spec as unknown as Paths;
    const routes = rules
      .flatMap(({ http }) => http.paths)
      .map(({ path, pathType, backend }) => ({ path, pathType, to: backend.service.name }));
    const uploads = [
      { path: '/api/v1/uploads', pathType: 'Prefix', to: 'plotline-upload' },
      { path: '/api/uploader', pathType: 'Exact', to: 'plotline-upload' },
    ];
    expect(routes).toEqual([...uploads, { path: '/', pathType: 'Prefix', to: 'plotline' }]);
    const patch = texts.get('components/no-gateway/kustomization.yaml')!;
    expect(patch).toContain('path: /spec/rules/0/http/paths/2/backend/service/name');
    const http = texts.get('components/gateway-api/routes.yaml')!;
    for (const { path } of uploads) expect(http).toContain(`value: ${path} }`);
    expect(http).not.toMatch(/RegularExpression|method: (GET|POST|PATCH)/);
  });

  it('alert on existing metrics', async () => {
    const sources = (await Promise.all(['libs', 'apps'].map((folder) => readdir(join(root, folder), { recursive: true })))).flatMap(
      (names, i) => names.filter((name) => name.endsWith('.ts')).map((name) => join(root, ['libs', 'apps'][i]!, name)),
    );
    const code = (await Promise.all(sources.map((file) => readFile(file, 'utf8')))).join('\n');
    const asked = new Set([...texts.values()].flatMap((text) => text.match(/\bplotline_[a-z_]+(?=[{[)])/g) ?? []));
    expect(asked.size).toBeGreaterThan(4);
    for (const metric of asked) expect(code).toContain(metric.replace(/_(count|sum|bucket)$/, ''));
  });

  it('have a section in the runbook for each alert', async () => {
    const alerts = [...texts.values()].flatMap((text) => [...text.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!));
    const sections = [...(await readFile(join(root, 'docs/runbook.md'), 'utf8')).matchAll(/^## (\w+)$/gm)].map(([, name]) => name!);
    expect(alerts.length).toBeGreaterThan(4);
    expect(sections).toEqual(alerts);
  });
});
