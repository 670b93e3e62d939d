import { z } from 'zod';
import { citationJson } from '../../apps/read/src/citations/citation-json.ts';
import { experimentJson } from '../../apps/read/src/experiments/experiment-json.ts';
import { exportJson } from '../../apps/read/src/exports/export-json.ts';
import { invitationJson, memberJson } from '../../apps/read/src/members/member-json.ts';
import { frontierJsonDoc } from '../../apps/read/src/meta/openapi/progress-docs.ts';
import { receiptJson } from '../../apps/read/src/receipt/receipt.controller.ts';
import { reportLinkJson } from '../../apps/read/src/reports/report-link-json.ts';
import { reportJson, reportSummaryJson } from '../../apps/read/src/reports/report-json.ts';
import { runJson } from '../../apps/read/src/runs/run-json.ts';
import { runBehindJson } from '../../apps/read/src/runs/runs.controller.ts';
import { savedViewJson } from '../../apps/read/src/saved-views/saved-view-json.ts';
import { linkJson } from '../../apps/read/src/sharing/link-json.ts';
import { tagJson } from '../../apps/read/src/tags/tags.controller.ts';
import { tokenJson } from '../../apps/read/src/tokens/token-json.ts';
import { quotaJson, usageJson } from '../../apps/read/src/usage/usage-json.ts';

/** Schemas of the responses that the page uses, by type name. */
const responses: Readonly<Record<string, z.ZodType>> = {
  FrontierJson: frontierJsonDoc,
  ExperimentJson: experimentJson,
  RunJson: runJson,
  TagJson: tagJson,
  ReceiptJson: receiptJson,
  RunBehindJson: runBehindJson,
  ShareLinkJson: linkJson,
  SavedViewJson: savedViewJson,
  ReportJson: reportJson,
  ReportSummaryJson: reportSummaryJson,
  ReportLinkJson: reportLinkJson,
  ExportJson: exportJson,
  CitationJson: citationJson,
  TokenJson: tokenJson,
  MemberJson: memberJson,
  InvitationJson: invitationJson,
  QuotaJson: quotaJson,
  UsageJson: usageJson,
};

/** The subset of JSON Schema that `z.toJSONSchema` produces for these schemas. */
interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
}

/**
 * Returns the page's types for the responses of the read API, from the schemas that document them.
 */
export function responseTypes(): string {
  const types = Object.entries(responses).map(([name, schema]) => {
    const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' });
    return `export interface ${name} ${objectType(json as JsonSchema)}\n`;
  });
  return `/** Written by npm run generate from the schemas of apps/read that document the API. Whole numbers beyond 2^53 are strings. */\n${types.join('\n')}`;
}

function objectType({ properties = {}, required = [] }: JsonSchema): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const about = schema.description === undefined ? '' : `/** ${schema.description} */\n`;
    return `${about}readonly ${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`;
  });
  return `{\n${fields.join('\n')}\n}`;
}

function typeOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' | ');
  const { type } = schema;
  if (typeof type === 'object') return type.map((one) => typeOf({ ...schema, type: one })).join(' | ');
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return `readonly (${typeOf(schema.items ?? {})})[]`;
    case 'object':
      return typeof schema.additionalProperties === 'object' && !schema.properties
        ? `Readonly<Record<string, ${typeOf(schema.additionalProperties)}>>`
        : objectType(schema);
    case undefined:
      return 'unknown';
    default:
      throw new Error(`this schema has no type for the page: ${JSON.stringify(schema)}`);
  }
}
