package petrichor.rpc;

/**
 * Another server of the cluster.
 *
 * @param id of its membership, never reused
 * @param address where it accepts connections, {@code host:port}
 */
public record Peer(String id, String address) {}
