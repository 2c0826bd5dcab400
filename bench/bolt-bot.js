/** The baseline: `/balance` in thirty lines of Bolt. It sends Tally's two queries and checks nothing. */
import bolt from '@slack/bolt';

const { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET, SLACK_API_URL, BILLING_URL, BILLING_TOKEN, PORT } =
  process.env;
const DAY = 86_400_000;
const app = new bolt.App({
  token: SLACK_BOT_TOKEN,
  signingSecret: SLACK_SIGNING_SECRET,
  clientOptions: { slackApiUrl: SLACK_API_URL },
});

async function ask(field) {
  const headers = { 'content-type': 'application/json', 'x-user-token': BILLING_TOKEN };
  const body = JSON.stringify({ query: `query { bill { ${field} } }` });
  const response = await fetch(`${BILLING_URL}/bill/graphql`, { method: 'POST', headers, body });
  return (await response.json()).data.bill;
}

app.command('/balance', async ({ ack, command, respond }) => {
  await ack();
  const subscription = `externalSubscriptionId: ${command.text}, productId: 1`;
  const today = new Date().setUTCHours(0, 0, 0, 0);
  const [from, to] = [today - 7 * DAY, today - 1].map((at) => new Date(at).toISOString());
  const [balance, report] = await Promise.all([
    ask(`getSubscriptionBalance(${subscription}) { balance bonuses }`),
    ask(`reportSubscriptionConsuming(filter: { periodFrom: "${from}", periodTo: "${to}", ${subscription} })
      { items { day totalAmount totalBonuses } }`),
  ]);
  const left = Number(balance.getSubscriptionBalance.balance);
  const days = report.reportSubscriptionConsuming.items.map(({ totalAmount }) => Number(totalAmount));
  const average = days.reduce((sum, amount) => sum + amount, 0) / days.length;
  const text = `Project ${command.text}: ${left.toFixed(2)} left, about ${Math.floor(left / average)} days`;
  await respond({ text, blocks: [{ type: 'section', text: { type: 'mrkdwn', text } }] });
});

await app.start(Number(PORT));
