import { describe, expect, it } from 'vitest';
import { temporaryName } from './temporary-names.ts';

const plain = 'events.out.tfevents.1700000000.host.1.0';

describe('temporaryName', () => {
  it.each([
    ['aws s3', `${plain}.5C6dABbe`],
    ['gsutil', `${plain}_.gstmp`],
    ['rclone', `${plain}.partial`],
    ['rclone', `${plain}.1a2b3c4d.partial`],
    ['Syncthing', `.syncthing.${plain}.tmp`],
    ['Syncthing', `~syncthing~${plain}.tmp`],
    ['Syncthing', `${plain}.sync-conflict-20261125-101112-ABCDEFG`],
    ['Unison', `.unison.${plain}.0123abcd.unison.tmp`],
    ['Nextcloud', `.${plain}.~1a2b`],
    ['Dropbox', `${plain} (Ann's conflicted copy 2026-11-25)`],
    ['azcopy', `.azDownload-0c2d3e4f-0000-1111-${plain}`],
    ['MinIO client', `${plain}.part.minio`],
    ['a browser or a download', `${plain}.crdownload`],
    ['a browser or a download', `${plain}.part`],
    ['a browser or a download', `${plain}.filepart`],
    ['a browser or a download', `${plain}.tmp`],
    ['rsync', `.${plain}.Ab3xYz`],
    ['an editor', `.${plain}.swp`],
    ['an editor', `#${plain}#`],
    ['an editor', `.#${plain}`],
    ['an editor', `${plain}~`],
    ['an editor', `${plain}.~2~`],
    ['macOS', `._${plain}`],
    ['a copy', `${plain} (1)`],
    ['a copy', `${plain}(1)`],
    ['a copy', `${plain} - Copy`],
    ['a copy', `${plain} copy 2`],
    ['a copy', `Copy of ${plain}`],
    ['a backup', `${plain}.bak`],
    ['a backup', `${plain}.orig`],
    ['a backup', `${plain}.old`],
  ])('knows the names of %s: %s', (tool, name) => {
    expect(temporaryName('a/b', name)).toEqual({ tool, plain });
  });

  it('knows the folders that tools write aside in', () => {
    expect(temporaryName('a/.rsync-partial', plain)).toEqual({ tool: 'rsync', plain });
    expect(temporaryName('a/.~tmp~', plain)).toEqual({ tool: 'rsync', plain });
  });

  it.each([
    plain,
    `${plain}.v2`,
    'tfevents',
    'tfevents.1',
    'events.out.tfevents.1700000000.0a1b2c3d4e5f',
    'events.out.tfevents.1700000000.host',
    'events.out.tfevents.1700000000.host.12345678',
    'events.out.tfevents.1700000000.gpu-node-01.1234.0',
    'events.out.tfevents.1700000000.host.1.0.profile-empty',
    `prefix.${plain}.suffix`,
  ])('leaves the names of writers alone: %s', (name) => {
    expect(temporaryName('a/b', name)).toBeNull();
  });
});
