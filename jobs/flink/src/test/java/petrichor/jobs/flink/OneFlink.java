package petrichor.jobs.flink;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One cluster in this process for all tests: two machines with three slots each. */
final class OneFlink implements ParameterResolver {
    static final int MACHINES = 2;
    static final int SLOTS = 3;

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == FlinkRuntime.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(ExtensionContext.Namespace.GLOBAL)
                .computeIfAbsent(
                        OneFlink.class,
                        _ -> FlinkRuntime.inProcess(MACHINES, SLOTS),
                        FlinkRuntime.class);
    }
}
