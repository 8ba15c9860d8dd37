package petrichor.server.apps;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import petrichor.apps.instances.Instance;
import petrichor.apps.instances.InstanceHost;
import petrichor.apps.instances.IsolationFeature;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.frontends.access.AppCallers;
import petrichor.frontends.access.Caller;
import petrichor.frontends.access.Role;
import petrichor.frontends.access.Scope;

/**
 * Instances as callers of the APIs: the kernel says which user opened a connection, and each
 * instance has a user of its own. An app reads and writes data of its project. Thread-safe.
 */
final class InstanceCallers implements AppCallers {
    private final boolean tokens;
    private volatile @Nullable InstanceHost host;

    /**
     * @param tokens whether other callers must send a token; if not, instances without a user of
     *     their own may call, too
     */
    InstanceCallers(boolean tokens) {
        this.tokens = tokens;
    }

    void identifyBy(InstanceHost instances) {
        host = instances;
    }

    @Override
    public Caller caller(InetSocketAddress client, InetSocketAddress server) {
        InstanceHost instances = host;
        if (instances == null) {
            throw unknown("the server is starting");
        }
        if (!instances.isolation().has(IsolationFeature.OWN_USER)) {
            if (!tokens) {
                return Caller.ANYONE;
            }
            throw unknown(
                    "instances have no users of their own on this machine; run the server as root");
        }
        try {
            Optional<Instance> opener = instances.opener(client, server);
            if (opener.isEmpty()) {
                throw unknown("no instance of an app opened this connection");
            }
            String project = opener.get().spec().name().app();
            return new Caller(
                    "app:" + project, Role.WRITE, new Scope.Limited(Set.of(project), Set.of()));
        } catch (IOException e) {
            throw unknown(String.valueOf(e.getMessage()));
        }
    }

    private static PetrichorException unknown(String reason) {
        return PetrichorException.of(
                ErrorCode.UNAUTHENTICATED,
                "this port is for deployed apps, and the caller is not known: {reason}",
                "reason",
                reason);
    }
}
