import { Component, type ReactNode } from 'react';

/** A block that cannot be drawn says so in its place, and leaves the rest of the page alone. */
export class ErrorBoundary extends Component<{ what: string; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return <span className="unsupported">The sandbox could not draw this {this.props.what} block.</span>;
  }
}
