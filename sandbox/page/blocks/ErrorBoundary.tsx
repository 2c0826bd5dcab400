import { Component, type ReactNode } from 'react';

/** Shows an error instead of a block that fails to render. */
export class ErrorBoundary extends Component<{ what: string; children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return <span className="unsupported">The sandbox couldn’t show this {this.props.what} block.</span>;
  }
}
