package petrichor.jobs.flink;

import java.util.Objects;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One cluster in this process for all tests: two machines with three slots each. */
final class OneFlink implements ParameterResolver, AutoCloseable {
    static final int MACHINES = 2;
    static final int SLOTS = 3;

    /** Always compresses: between threads of one process nothing would be compressed. */
    static final String LEVEL = "zstd-1";

    /** A strong reference, because a logger without one is collected and loses its level. */
    private static final Logger FLINK = Logger.getLogger("org.apache");

    private final @Nullable OwnCluster cluster;

    OneFlink() {
        this(null);
    }

    private OneFlink(@Nullable OwnCluster cluster) {
        this.cluster = cluster;
    }

    OwnCluster cluster() {
        return Objects.requireNonNull(cluster);
    }

    FlinkRuntime runtime() {
        return FlinkRuntime.of(cluster());
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == OneFlink.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(ExtensionContext.Namespace.GLOBAL)
                .computeIfAbsent(OneFlink.class, _ -> started(), OneFlink.class);
    }

    private static OneFlink started() {
        FLINK.setLevel(Level.OFF);
        return new OneFlink(OwnCluster.start(MACHINES, SLOTS, LEVEL));
    }

    @Override
    public void close() {
        cluster().close();
    }
}
