package petrichor.frontends.apps;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.function.Function;
import petrichor.apps.catalog.AppDomain;
import petrichor.apps.catalog.AppRecord;
import petrichor.apps.hosting.CustomDomains;
import petrichor.apps.router.tls.CertificateStatus;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;

/**
 * {@code GET /petrichor/v1/apps/APP/domains}: the domains of an app. {@code POST}: a change, such
 * as {@code {"action": "add", "host": "www.example.com", "service": "default"}} or {@code
 * {"action": "remove", "host": "www.example.com"}}; the response lists the domains after it.
 * Thread-safe.
 */
public final class DomainPages {
    private static final String PATH = "/petrichor/v1/apps/{app}/domains";

    private final CustomDomains domains;
    private final Function<String, CertificateStatus> certificates;

    /**
     * @param certificates of a host
     */
    public DomainPages(CustomDomains domains, Function<String, CertificateStatus> certificates) {
        this.domains = domains;
        this.certificates = certificates;
    }

    public List<Page> pages() {
        return List.of(
                new Page("GET", PATH, Page.Access.PROJECT_VIEW, Page.Lane.CALLS, this::list),
                new Page("POST", PATH, Page.Access.PROJECT_ADMIN, Page.Lane.CALLS, this::change));
    }

    private Page.Answer list(Page.Request request) {
        return answer(domains.of(request.inPath("app")));
    }

    private Page.Answer change(Page.Request request) {
        String app = request.inPath("app");
        JsonObject asked = AppPages.parsed(request.body());
        String host = AppPages.text(asked, "host", "");
        String service = AppPages.text(asked, "service", AppRecord.DEFAULT_SERVICE);
        String action = AppPages.text(asked, "action", "");
        return answer(
                switch (action) {
                    case "add" -> domains.add(app, AppDomain.of(host, service));
                    case "remove" -> domains.remove(app, host);
                    default ->
                            throw PetrichorException.invalid(
                                    "the action \"{action}\" is neither add nor remove",
                                    "action",
                                    action);
                });
    }

    private Page.Answer answer(List<AppDomain> domains) {
        JsonArray all = new JsonArray();
        for (AppDomain domain : domains) {
            JsonObject one = new JsonObject();
            one.addProperty("host", domain.host());
            one.addProperty("service", domain.service());
            one.add("certificate", json(certificates.apply(domain.host())));
            all.add(one);
        }
        JsonObject json = new JsonObject();
        json.add("domains", all);
        return Page.Answer.json(200, json + "\n");
    }

    private static JsonObject json(CertificateStatus status) {
        JsonObject json = new JsonObject();
        status.expires().ifPresent(expires -> json.addProperty("expires", expires.toString()));
        switch (status.order()) {
            case CertificateStatus.Manual _ -> {}
            case CertificateStatus.Waiting _ -> json.addProperty("order", "waiting");
            case CertificateStatus.Running _ -> json.addProperty("order", "running");
            case CertificateStatus.Failed(int attempts, String reason, var next) -> {
                json.addProperty("order", "failed");
                json.addProperty("attempts", attempts);
                json.addProperty("reason", reason);
                json.addProperty("next", next.toString());
            }
        }
        return json;
    }
}
