package petrichor.coordination.zookeeper;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.apache.zookeeper.data.Stat;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.coordination.Ledger;
import petrichor.kv.StoreTls;

/**
 * A ledger in ZooKeeper. Entries are persistent nodes {@code ROOT/folder/name}, with
 * percent-encoding of characters that node names must not contain. Versions are those of the nodes,
 * stamps are the ids of the transactions that changed them last; several changes are one of
 * ZooKeeper's multi-operations.
 *
 * <p>Nothing is retried here: after a lost connection the outcome of a change is unknown, and only
 * the caller can determine it. Sessions have no meaning: an expired one is replaced.
 */
public final class ZooKeeperLedger implements Ledger {
    private static final Duration FIRST_CONTACT_MAX = Duration.ofSeconds(10);
    private static final List<String> FOLDERS = List.of("members", "holdings", "values");

    /** Equals ZooDefs.Ids.CREATOR_ALL_ACL, which cannot be compiled against without warnings. */
    private static final List<ACL> CREATOR_ONLY =
            Collections.singletonList(new ACL(ZooDefs.Perms.ALL, new Id("auth", "")));

    private static final ACLProvider OWNERS_ONLY =
            new ACLProvider() {
                @Override
                public List<ACL> getDefaultAcl() {
                    return CREATOR_ONLY;
                }

                @Override
                public List<ACL> getAclForPath(String path) {
                    return CREATOR_ONLY;
                }
            };

    private final CuratorFramework client;
    private final String servers;

    private ZooKeeperLedger(CuratorFramework client, String servers) {
        this.client = client;
        this.servers = servers;
    }

    /**
     * Fails with UNAVAILABLE if no server responds for ten seconds.
     *
     * @param servers host:port, separated by commas
     * @param root the folder of this cluster, without leading or trailing slashes; created if
     *     missing
     * @param serverTimeout how long a server may be silent before another one is tried
     */
    public static ZooKeeperLedger open(String servers, String root, Duration serverTimeout) {
        return open(servers, root, serverTimeout, Optional.empty());
    }

    /**
     * Like {@link #open(String, String, Duration)}. UNAUTHENTICATED or PERMISSION_DENIED
     * immediately if ZooKeeper refuses access.
     *
     * @param login user:password for ZooKeeper's digest scheme; created nodes belong to that user
     */
    public static ZooKeeperLedger open(
            String servers, String root, Duration serverTimeout, Optional<String> login) {
        return open(servers, root, serverTimeout, login, Optional.empty());
    }

    /** As above, over TLS; FAILED_PRECONDITION immediately if the certificates are not accepted. */
    public static ZooKeeperLedger open(
            String servers,
            String root,
            Duration serverTimeout,
            Optional<String> login,
            Optional<StoreTls> tls) {
        int millis = Math.toIntExact(serverTimeout.toMillis());
        CuratorFrameworkFactory.Builder builder =
                CuratorFrameworkFactory.builder()
                        .connectString(servers)
                        .namespace(root)
                        .sessionTimeoutMs(millis)
                        .connectionTimeoutMs(millis)
                        .retryPolicy(new RetryNTimes(0, 0))
                        .waitForShutdownTimeoutMs(0);
        tls.ifPresent(by -> builder.zkClientConfig(ZooKeeperTls.of(by, servers)));
        login.ifPresent(
                secret ->
                        builder.authorization("digest", secret.getBytes(StandardCharsets.UTF_8))
                                .aclProvider(OWNERS_ONLY));
        CuratorFramework client = builder.build();
        client.start();
        ZooKeeperLedger ledger = new ZooKeeperLedger(client, servers);
        try {
            if (!client.blockUntilConnected(
                    Math.toIntExact(FIRST_CONTACT_MAX.toMillis()), TimeUnit.MILLISECONDS)) {
                throw ledger.unreachable("no server answers", null);
            }
            ledger.makeFolders();
            return ledger;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            client.close();
            throw ledger.unreachable("the start was interrupted", interrupted);
        } catch (RuntimeException failed) {
            client.close();
            throw failed;
        }
    }

    private void makeFolders() {
        for (String folder : FOLDERS) {
            try {
                client.createContainers("/" + folder);
                if (client.checkExists().forPath("/" + folder) == null) {
                    throw unreachable("its folder " + folder + " was deleted", null);
                }
                // Every client can see that a node exists; reading its content checks our
                // permissions.
                client.getChildren().forPath("/" + folder);
            } catch (Exception failed) {
                throw failure(failed);
            }
        }
    }

    @Override
    public Optional<Entry> read(Place place) {
        Stat stat = new Stat();
        try {
            byte[] value = client.getData().storingStatIn(stat).forPath(path(place));
            return Optional.of(new Entry(value, stat.getVersion(), stat.getMzxid()));
        } catch (KeeperException.NoNodeException missing) {
            return Optional.empty();
        } catch (Exception failed) {
            throw failure(failed);
        }
    }

    @Override
    public List<String> list(String folder) {
        try {
            return client.getChildren().forPath("/" + folder).stream()
                    .map(NodeNames::decoded)
                    .toList();
        } catch (KeeperException.NoNodeException missing) {
            return List.of();
        } catch (Exception failed) {
            throw failure(failed);
        }
    }

    @Override
    public boolean change(List<Change> changes) {
        try {
            List<CuratorOp> operations = new ArrayList<>(changes.size());
            for (Change change : changes) {
                operations.add(operation(change));
            }
            client.transaction().forOperations(operations);
            return true;
        } catch (KeeperException.NoNodeException
                | KeeperException.NodeExistsException
                | KeeperException.BadVersionException _) {
            return false;
        } catch (Exception failed) {
            throw failure(failed);
        }
    }

    private CuratorOp operation(Change change) throws Exception {
        String path = path(change.place());
        return switch (change) {
            case Change.Expect _ -> client.transactionOp().check().forPath(path);
            case Change.Create(_, byte[] value) ->
                    client.transactionOp().create().forPath(path, value);
            case Change.Replace(_, byte[] value, long version) ->
                    client.transactionOp()
                            .setData()
                            .withVersion(Math.toIntExact(version))
                            .forPath(path, value);
            case Change.Delete(_, long version) ->
                    client.transactionOp()
                            .delete()
                            .withVersion(Math.toIntExact(version))
                            .forPath(path);
        };
    }

    private static String path(Place place) {
        return "/" + place.folder() + "/" + NodeNames.encoded(place.name());
    }

    @Override
    public Optional<String> problem() {
        return client.getZookeeperClient().isConnected()
                ? Optional.empty()
                : Optional.of("no server of ZooKeeper at " + servers + " can be reached");
    }

    private PetrichorException failure(Exception failed) {
        if (failed instanceof PetrichorException known) {
            return known;
        }
        if (failed instanceof KeeperException refusal
                && (refusal.code() == KeeperException.Code.NOAUTH
                        || refusal.code() == KeeperException.Code.AUTHFAILED)) {
            return refused(refusal);
        }
        if (failed instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return unreachable(String.valueOf(failed.getMessage()), failed);
    }

    /** A retry does not help: the service answered with a refusal. */
    private PetrichorException refused(KeeperException refusal) {
        if (refusal.code() == KeeperException.Code.AUTHFAILED) {
            return PetrichorException.of(
                    ErrorCode.UNAUTHENTICATED,
                    refusal,
                    "ZooKeeper at {servers} does not accept this server's credentials: check the"
                            + " user and the password in cluster.coordination",
                    "servers",
                    servers);
        }
        return PetrichorException.of(
                ErrorCode.PERMISSION_DENIED,
                refusal,
                "ZooKeeper at {servers} does not allow this server to use {path}: check the user"
                        + " and the password in cluster.coordination, or the ACL of that node",
                "servers",
                servers,
                "path",
                refusal.getPath());
    }

    private PetrichorException unreachable(
            String why, @org.jspecify.annotations.Nullable Exception cause) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                cause,
                "ZooKeeper at {servers} cannot be used now: {reason}; retry",
                "reason",
                why,
                "servers",
                servers);
    }

    @Override
    public void close() {
        client.close();
    }
}
