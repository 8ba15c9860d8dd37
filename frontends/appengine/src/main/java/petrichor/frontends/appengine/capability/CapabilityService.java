package petrichor.frontends.appengine.capability;

import com.google.appengine.api.capabilities.CapabilitiesPb.CapabilityConfig;
import com.google.appengine.api.capabilities.CapabilityServicePb.IsEnabledRequest;
import com.google.appengine.api.capabilities.CapabilityServicePb.IsEnabledResponse;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.ServiceCall;

/** The API {@code capability_service}. Immutable. */
public final class CapabilityService implements BundledService {
    private static final String EVERYTHING = "*";

    private final Set<String> services;

    /**
     * @param services names of the APIs of this server
     */
    public CapabilityService(Set<String> services) {
        this.services = Set.copyOf(services);
    }

    @Override
    public String name() {
        return "capability_service";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        return switch (call.method()) {
            case "IsEnabled" ->
                    CompletableFuture.completedFuture(
                            isEnabled(call.parsed(IsEnabledRequest.parser())).toByteArray());
            default -> throw call.unknownMethod();
        };
    }

    /** An API is enabled with everything it offers, or disabled: SDKs take unknown for enabled. */
    private IsEnabledResponse isEnabled(IsEnabledRequest request) {
        boolean known =
                services.contains(request.getPackage()) || name().equals(request.getPackage());
        IsEnabledResponse.Builder response =
                IsEnabledResponse.newBuilder()
                        .setSummaryStatus(
                                known
                                        ? IsEnabledResponse.SummaryStatus.ENABLED
                                        : IsEnabledResponse.SummaryStatus.DISABLED);
        List<String> capabilities =
                request.getCapabilityCount() == 0
                        ? List.of(EVERYTHING)
                        : request.getCapabilityList();
        for (String capability : capabilities) {
            response.addConfig(
                    CapabilityConfig.newBuilder()
                            .setPackage(request.getPackage())
                            .setCapability(capability)
                            .setStatus(
                                    known
                                            ? CapabilityConfig.Status.ENABLED
                                            : CapabilityConfig.Status.DISABLED));
        }
        return response.build();
    }
}
