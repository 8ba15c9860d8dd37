package petrichor.frontends.datastore;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import petrichor.base.TimeSource;
import petrichor.entities.Datastore;
import petrichor.frontends.access.AccessTokens;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.TokenHash;
import petrichor.kv.memory.MemoryOptions;
import petrichor.kv.memory.MemoryStore;
import petrichor.rpc.ClusterRpc;
import petrichor.rpc.Owner;
import petrichor.rpc.OwnerDirectory;
import petrichor.rpc.PeerAuthentication;
import petrichor.rpc.RpcSettings;
import petrichor.transactions.databases.RowDatabases;

class PeersMustAuthenticateTest {
    /** A client without a token could impersonate a peer, which has all rights. */
    @Test
    void whereClientsNeedATokenPeersMustAuthenticate() {
        AccessTokens tokens =
                AccessTokens.of(
                        List.of(new AccessTokens.Token(Caller.ANYONE, TokenHash.of("secret"))));
        FrontEndSettings settings =
                new FrontEndSettings(
                        List.of(InetAddress.getLoopbackAddress()),
                        0,
                        null,
                        tokens,
                        Set.of(),
                        FrontEndSettings.Limits.DEFAULT,
                        FrontEndSettings.Execution.forThisMachine());
        Duration second = Duration.ofSeconds(1);
        try (MemoryStore store = MemoryStore.open(MemoryOptions.DEFAULT);
                RowDatabases rows = new RowDatabases(store);
                ClusterRpc rpc =
                        new ClusterRpc(
                                new NoOwners(),
                                new RpcSettings(PeerAuthentication.NONE, second, second))) {
            Datastore datastore = new Datastore(rows, TimeSource.SYSTEM);
            assertThatThrownBy(() -> new DatastoreFrontEnd(datastore, settings, rpc))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("peers must authenticate");
        }
    }

    private static final class NoOwners implements OwnerDirectory {
        @Override
        public Optional<Owner> known(String database) {
            return Optional.empty();
        }

        @Override
        public Owner find(String database, boolean take) {
            return new Owner.Here(1);
        }

        @Override
        public void invalidate(String database, Owner.There owner) {}
    }
}
