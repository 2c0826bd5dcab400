/**
 * The GraphQL schema of the contract, enforced strictly. The contract leaves open the type names, the answer to a
 * malformed document, and how "no data" looks: those are choices of this fake.
 */
import {
  type ASTNode,
  type ASTVisitor,
  type DocumentNode,
  execute,
  GraphQLError,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  Kind,
  parse,
  specifiedRules,
  type ValidationContext,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';

export interface Subscription {
  /** Digits, of any length. */
  externalSubscriptionId: string;
  productId: number;
}

export interface Filter extends Subscription {
  periodFrom: string;
  periodTo: string;
}

/** Supplies the data; null means "no data". */
export interface Source {
  balance(subscription: Subscription): unknown;
  report(filter: Filter): unknown;
}

const ProjectId = new GraphQLScalarType<string, string>({
  name: 'ProjectId',
  description: 'A numeric literal of any length.',
  parseLiteral(node) {
    if (node.kind === Kind.INT && /^\d+$/.test(node.value)) return node.value;
    throw new GraphQLError('A project ID is a numeric literal and is not quoted.', { nodes: node });
  },
  parseValue() {
    throw new GraphQLError('A project ID is a numeric literal and not a variable.');
  },
});

/** The contract names no types for amounts and days: the source's values are sent as they are. */
const Amount = new GraphQLScalarType({ name: 'Amount', serialize: (value) => value });
const Day = new GraphQLScalarType({ name: 'Day', serialize: (value) => value });

const required = <T extends GraphQLScalarType>(type: T) => ({ type: new GraphQLNonNull(type) });
const subscription = { externalSubscriptionId: required(ProjectId), productId: required(GraphQLInt) };

const Balance = new GraphQLObjectType({
  name: 'Balance',
  fields: { balance: { type: Amount }, bonuses: { type: Amount } },
});

const Charge = new GraphQLObjectType({
  name: 'Charge',
  fields: { day: { type: Day }, totalAmount: { type: Amount }, totalBonuses: { type: Amount } },
});

const Report = new GraphQLObjectType({
  name: 'Report',
  fields: { items: { type: new GraphQLList(Charge) } },
});

const ReportFilter = new GraphQLInputObjectType({
  name: 'ReportFilterInput',
  fields: { periodFrom: required(GraphQLString), periodTo: required(GraphQLString), ...subscription },
});

const Bill = new GraphQLObjectType<unknown, Source>({
  name: 'Bill',
  fields: {
    getSubscriptionBalance: {
      type: Balance,
      args: subscription,
      resolve: (_bill, args, source) => source.balance(args as Subscription),
    },
    reportSubscriptionConsuming: {
      type: Report,
      args: { filter: { type: new GraphQLNonNull(ReportFilter) } },
      resolve: (_bill, args: { filter?: Filter }, source) => source.report(args.filter as Filter),
    },
  },
});

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: { bill: { type: new GraphQLNonNull(Bill), resolve: () => ({}) } },
  }),
});

const UNSUPPORTED_NODES: Partial<Record<Kind, string>> = {
  [Kind.VARIABLE_DEFINITION]: 'Variables are not supported.',
  [Kind.DIRECTIVE]: 'Directives are not supported.',
  [Kind.INLINE_FRAGMENT]: 'Fragments are not supported.',
  [Kind.FRAGMENT_DEFINITION]: 'Fragments are not supported.',
};

/** Allows only the contract's documents: one anonymous operation with one field of `bill`. */
function contractOnly(context: ValidationContext): ASTVisitor {
  return {
    enter(node) {
      const message = UNSUPPORTED_NODES[node.kind] ?? problemOfNode(node);
      if (message) context.reportError(new GraphQLError(message, { nodes: node }));
    },
  };
}

function problemOfNode(node: ASTNode): string | undefined {
  if (node.kind === Kind.DOCUMENT && node.definitions.length > 1) return 'Only one operation per request.';
  if (node.kind === Kind.OPERATION_DEFINITION && node.name) return 'Operations must be anonymous.';
  if (node.kind !== Kind.FIELD) return undefined;
  if (node.alias) return 'Aliases are not supported.';
  const fields = node.name.value === 'bill' ? node.selectionSet?.selections.length : 1;
  return fields === 1 ? undefined : 'Only one field of `bill` per request.';
}

const RULES = [...specifiedRules, contractOnly];

/** By text: most queries come again, and validating one takes longer than answering it. */
const validDocuments = new LRUCache<string, DocumentNode>({ max: 200 });

/** Returns the HTTP status and the body; never rejects. */
export async function executeQuery(
  query: string,
  source: Source,
): Promise<{ status: number; body: unknown }> {
  try {
    const document = validDocuments.get(query) ?? parse(query, { noLocation: true });
    const errors = validDocuments.has(query) ? [] : validate(schema, document, RULES);
    if (errors.length > 0) return { status: 400, body: { errors: errors.map((error) => error.toJSON()) } };
    validDocuments.set(query, document);
    return { status: 200, body: await execute({ schema, document, contextValue: source }) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { status: 400, body: { errors: [{ message }] } };
  }
}
