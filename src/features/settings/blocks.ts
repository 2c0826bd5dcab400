import type { InputBlock, ModalView, PlainTextOption } from '@slack/types';
import { context, type Message, option, plain, section } from '../../slack/kit/atoms.ts';
import { modal } from '../../slack/kit/modal.ts';
import { localTime, type Zone } from './zones.ts';

/** The form; `chosen` is what is selected now, which the date below it checks. */
export function settingsForm(chosen: Zone, at: number): ModalView {
  return modal({
    callback: 'settings',
    title: 'Settings',
    submit: 'Save',
    close: 'Cancel',
    blocks: [zoneInput(chosen, at), section(`Today there: ${localTime(chosen, at)}`)],
  });
}

export const zoneOption = (zone: Zone, at: number): PlainTextOption =>
  option(zone, zone, localTime(zone, at));

function zoneInput(chosen: Zone, at: number): InputBlock {
  return {
    type: 'input',
    block_id: 'zone',
    dispatch_action: true,
    label: plain('Reporting time zone'),
    hint: plain(
      'Days begin and end at midnight there, for everybody in this workspace. Type a city, an area or UTC.',
    ),
    element: {
      type: 'external_select',
      action_id: 'zone',
      min_query_length: 0,
      placeholder: plain('Berlin, Kolkata, New York, UTC…'),
      initial_option: zoneOption(chosen, at),
    },
  };
}

export const saving: ModalView = modal({ title: 'Settings', blocks: [section('Saving…')] });

export function savedMessage(zone: Zone, at: number): Message {
  const text = `Saved. Days now begin and end at midnight in ${zone}; there it is ${localTime(zone, at)}.`;
  return {
    text,
    blocks: [section(text), context('Answers that were given before keep the days they were asked with.')],
  };
}

export const savedModal = ({ blocks }: Message): ModalView => modal({ title: 'Settings', blocks });
