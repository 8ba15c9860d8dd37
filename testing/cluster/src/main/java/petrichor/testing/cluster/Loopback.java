package petrichor.testing.cluster;

import java.util.List;
import petrichor.kv.deployment.Host;

/** Everything on this machine's loopback addresses: needs no rights, and no cable can be cut. */
final class Loopback implements Network {
    @Override
    public String host(String name) {
        return "127.0.0.1";
    }

    @Override
    public List<String> on(String name, List<String> command) {
        return command;
    }

    @Override
    public Host asHost(String name) {
        return new Host.ThisMachine();
    }

    @Override
    public boolean canCut() {
        return false;
    }

    @Override
    public void cut(String one, String other) {
        throw new UnsupportedOperationException("cables are cut in namespaces only");
    }

    @Override
    public void heal() {}

    @Override
    public void close() {}
}
