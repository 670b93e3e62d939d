/** When an S3 URL was signed (`X-Amz-Date`, e.g. `20261125T000000Z`), in ms since 1970. */
export function signedAt(address: string): number {
  const time = new URL(address).searchParams.get('X-Amz-Date') ?? '';
  return Date.parse(time.replace(/(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'));
}
