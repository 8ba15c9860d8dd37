package petrichor.frontends.appengine.modules;

import com.google.appengine.api.modules.ModulesServicePb.GetDefaultVersionRequest;
import com.google.appengine.api.modules.ModulesServicePb.GetDefaultVersionResponse;
import com.google.appengine.api.modules.ModulesServicePb.GetHostnameRequest;
import com.google.appengine.api.modules.ModulesServicePb.GetHostnameResponse;
import com.google.appengine.api.modules.ModulesServicePb.GetModulesResponse;
import com.google.appengine.api.modules.ModulesServicePb.GetNumInstancesRequest;
import com.google.appengine.api.modules.ModulesServicePb.GetNumInstancesResponse;
import com.google.appengine.api.modules.ModulesServicePb.GetVersionsRequest;
import com.google.appengine.api.modules.ModulesServicePb.GetVersionsResponse;
import com.google.appengine.api.modules.ModulesServicePb.ModulesServiceError.ErrorCode;
import com.google.appengine.api.modules.ModulesServicePb.SetNumInstancesRequest;
import com.google.appengine.api.modules.ModulesServicePb.StartModuleRequest;
import com.google.appengine.api.modules.ModulesServicePb.StopModuleRequest;
import com.google.protobuf.MessageLite;
import java.net.URI;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;

/**
 * The API {@code modules} for an app with one version of each service, as in development: it cannot
 * be started, stopped or scaled. Immutable.
 */
public final class ModulesService implements BundledService {
    private static final String INSTANCE = "0";
    private static final String USUAL_ADDRESS = "localhost:8080";

    private final Map<String, URI> targets;

    /**
     * @param targets where the requests to an app are sent, by project
     */
    public ModulesService(Map<String, URI> targets) {
        this.targets = Map.copyOf(targets);
    }

    @Override
    public String name() {
        return "modules";
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        return CompletableFuture.completedFuture(answer(call, call.app()).toByteArray());
    }

    private MessageLite answer(ServiceCall call, CallingApp app) {
        return switch (call.method()) {
            case "GetModules" -> GetModulesResponse.newBuilder().addAllModule(modules(app)).build();
            case "GetVersions" -> {
                requireModule(app, call.parsed(GetVersionsRequest.parser()).getModule());
                yield GetVersionsResponse.newBuilder().addVersion(app.version()).build();
            }
            case "GetDefaultVersion" -> {
                requireModule(app, call.parsed(GetDefaultVersionRequest.parser()).getModule());
                yield GetDefaultVersionResponse.newBuilder().setVersion(app.version()).build();
            }
            case "GetNumInstances" -> {
                GetNumInstancesRequest request = call.parsed(GetNumInstancesRequest.parser());
                requireVersion(app, request.getModule(), request.getVersion());
                yield GetNumInstancesResponse.newBuilder().setInstances(1).build();
            }
            case "GetHostname" -> hostname(app, call.parsed(GetHostnameRequest.parser()));
            case "SetNumInstances" -> {
                SetNumInstancesRequest request = call.parsed(SetNumInstancesRequest.parser());
                requireVersion(app, request.getModule(), request.getVersion());
                throw automatic();
            }
            case "StartModule" -> {
                StartModuleRequest request = call.parsed(StartModuleRequest.parser());
                requireVersion(app, request.getModule(), request.getVersion());
                throw automatic();
            }
            case "StopModule" -> {
                StopModuleRequest request = call.parsed(StopModuleRequest.parser());
                requireVersion(app, request.getModule(), request.getVersion());
                throw automatic();
            }
            default -> throw call.unknownMethod();
        };
    }

    private GetHostnameResponse hostname(CallingApp app, GetHostnameRequest request) {
        requireVersion(app, request.getModule(), request.getVersion());
        if (!request.getInstance().isEmpty() && !request.getInstance().equals(INSTANCE)) {
            throw new ServiceError(
                    ErrorCode.INVALID_INSTANCES_VALUE,
                    "there is no instance " + request.getInstance());
        }
        URI target = targets.get(app.project());
        return GetHostnameResponse.newBuilder()
                .setHostname(target == null ? USUAL_ADDRESS : target.getAuthority())
                .build();
    }

    /** The default service exists in every app. */
    private static Set<String> modules(CallingApp app) {
        Set<String> modules = new LinkedHashSet<>();
        modules.add(CallingApp.DEFAULT_SERVICE);
        modules.add(app.service());
        return modules;
    }

    private static void requireModule(CallingApp app, String module) {
        if (!module.isEmpty() && !modules(app).contains(module)) {
            throw new ServiceError(ErrorCode.INVALID_MODULE_VALUE, "there is no service " + module);
        }
    }

    private static void requireVersion(CallingApp app, String module, String version) {
        requireModule(app, module);
        if (!version.isEmpty() && !version.equals(app.version())) {
            throw new ServiceError(
                    ErrorCode.INVALID_VERSION_VALUE, "there is no version " + version);
        }
    }

    /** The error of App Engine for versions with automatic scaling. */
    private static ServiceError automatic() {
        return new ServiceError(
                ErrorCode.INVALID_VERSION_VALUE,
                "the version scales automatically; it cannot be started, stopped or resized");
    }
}
