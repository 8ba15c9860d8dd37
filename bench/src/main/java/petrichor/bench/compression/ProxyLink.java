package petrichor.bench.compression;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Over loopback, through a {@link ShapingProxy} of this process: needs no privileges. */
final class ProxyLink implements ShapedLink {
    private static final String ADDRESS = "127.0.0.1";

    private int megabits = 1_000;
    private @Nullable ShapingProxy proxy;

    @Override
    public String how() {
        return "a token bucket in user space over loopback";
    }

    @Override
    public List<String> senderPrefix() {
        return List.of();
    }

    @Override
    public List<String> receiverPrefix() {
        return List.of();
    }

    @Override
    public String senderAddress() {
        return ADDRESS;
    }

    @Override
    public String receiverAddress() {
        return ADDRESS;
    }

    @Override
    public void rate(int megabitsPerSecond) {
        megabits = megabitsPerSecond;
        if (proxy != null) {
            proxy.rate(megabits * 125_000L);
        }
    }

    /** A new proxy for every transfer: the previous one is closed with its connections. */
    @Override
    public int portTowards(int receiverPort) throws IOException {
        close();
        proxy =
                ShapingProxy.open(
                        new InetSocketAddress(InetAddress.ofLiteral(ADDRESS), receiverPort),
                        megabits * 125_000L);
        return proxy.port();
    }

    @Override
    public void close() {
        if (proxy != null) {
            proxy.close();
            proxy = null;
        }
    }
}
