import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from './api-server.ts';
import { bytesOf, type Container, expand, podsOf, podsOfCronJobs, restrictionsOf, Settings } from './pod.ts';

const object = (kind: string, name: string, more: object): KubernetesObject => ({ apiVersion: 'v1', kind, metadata: { name }, ...more });
const container: Container = { name: 'main', image: 'image' };

describe('a pod of the manifests', () => {
  it('has the environment of its ConfigMaps and Secrets, and later values replace earlier ones', () => {
    const settings = new Settings([
      object('ConfigMap', 'shared', { data: { A: 'from the map', B: 'from the map' } }),
      object('Secret', 'hidden', { data: { password: Buffer.from('p$$ssword').toString('base64') } }),
    ]);
    const given: Container = {
      ...container,
      envFrom: [{ configMapRef: { name: 'shared' } }],
      env: [
        { name: 'B', value: 'its own' },
        { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'hidden', key: 'password' } } },
        { name: 'ABSENT', valueFrom: { secretKeyRef: { name: 'hidden', key: 'absent', optional: true } } },
        { name: 'URL', value: 'x://$(PASSWORD)@$(B)/$(UNKNOWN)/$$(B)' },
      ],
    };
    expect(settings.environmentOf(given)).toEqual({
      A: 'from the map',
      B: 'its own',
      PASSWORD: 'p$$ssword',
      URL: 'x://p$$ssword@its own/$(UNKNOWN)/$(B)',
    });
    const missing: Container = { ...container, env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 'hidden', key: 'absent' } } }] };
    expect(() => settings.environmentOf(missing)).toThrow('hidden has no absent');
    expect(() => settings.environmentOf({ ...container, envFrom: [{ secretRef: { name: 'nothing' } }] })).toThrow('no Secret nothing');
  });

  it('expands only variables of the container', () => {
    expect(expand('$(A) $(B) $A $$(A)', { A: '1' })).toBe('1 $(B) $A $(A)');
  });

  it('is restricted as its manifest says', () => {
    const securityContext = {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1001,
      fsGroup: 1002,
      seccompProfile: { type: 'RuntimeDefault' },
    };
    const restricted: Container = {
      ...container,
      resources: { requests: { cpu: '250m', memory: '10Mi' }, limits: { memory: '20Mi' } },
      securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
    };
    expect(restrictionsOf({ securityContext, containers: [restricted] }, restricted)).toEqual([
      '--user=1000:1001',
      '--group-add=1002',
      '--read-only',
      '--security-opt=no-new-privileges',
      '--cap-drop=ALL',
      '--memory=20971520',
      '--memory-swap=20971520',
      '--cpu-shares=256',
    ]);
    expect(() => restrictionsOf({ securityContext: { ...securityContext, runAsUser: 0 }, containers: [] }, container)).toThrow(
      'must not run as root',
    );
    expect(() => restrictionsOf({ containers: [] }, container)).toThrow('seccomp');
  });

  it('is created for each replica, with the claims of a StatefulSet', () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
    const claims = [{ metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } } }];
    const pods = podsOf([
      object('Deployment', 'web', { spec: { replicas: 2, template } }),
      object('StatefulSet', 'database', { spec: { template, volumeClaimTemplates: claims } }),
      object('Service', 'web', { spec: {} }),
    ]);
    expect(pods.map(({ name }) => name)).toEqual(['web-0', 'web-1', 'database-0']);
    expect(pods[2]!.spec.volumes).toEqual([{ name: 'data', claim: { storage: '1Gi' } }]);
  });

  it('is created by hand from a CronJob', () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } };
    const objects = [object('CronJob', 'admin', { spec: { jobTemplate: { spec: { template } } } })];
    expect(podsOf(objects)).toEqual([]);
    expect(podsOfCronJobs(objects)).toEqual([{ kind: 'CronJob', name: 'admin-0', labels: { a: 'b' }, spec: { containers: [container] } }]);
  });

  it('has sizes in bytes', () => {
    expect(['512', '2Ki', '640Mi', '1Gi'].map(bytesOf)).toEqual([512, 2_048, 671_088_640, 1_073_741_824]);
    expect(() => bytesOf('1.5G')).toThrow('1.5G');
  });
});
