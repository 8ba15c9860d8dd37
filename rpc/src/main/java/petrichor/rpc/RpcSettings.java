package petrichor.rpc;

import java.time.Duration;

/**
 * Settings of the rpc layer.
 *
 * @param forwardTimeout how long a call looks for an owner before it is refused
 * @param executionTimeout a forwarded call is aborted after this, regardless of its client's
 *     deadline
 */
public record RpcSettings(
        PeerAuthentication authentication, Duration forwardTimeout, Duration executionTimeout) {}
