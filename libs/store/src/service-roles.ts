/** The login roles for the service's processes, as created by `migrations/roles.sql`. */
export const serviceRoles = ['plotline_app', 'plotline_ingest', 'plotline_sweeper'] as const;
export type ServiceRole = (typeof serviceRoles)[number];
