/** Whether a string is a UUID. Some ids of the service are UUIDs and are used in paths. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
}
