package petrichor.frontends.apps;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import petrichor.apps.catalog.AppQuotas;
import petrichor.apps.catalog.EffectiveQuotas;
import petrichor.apps.catalog.Quota;
import petrichor.apps.catalog.QuotaUnit;
import petrichor.apps.hosting.Hosting;
import petrichor.base.PetrichorException;
import petrichor.frontends.http.Page;

/**
 * {@code GET /petrichor/v1/apps/APP/quotas}: what an app may use, and what it uses on this server.
 * {@code POST}: a change by an operator, such as {@code {"set": {"requests": "6000/min"}, "reset":
 * ["storage"]}}; the response shows the quotas after it. Thread-safe.
 */
public final class QuotaPages {
    private static final String PATH = "/petrichor/v1/apps/{app}/quotas";

    private final EffectiveQuotas quotas;
    private final Supplier<Hosting> hosting;
    private final BiFunction<String, Quota, Usage> usage;

    /**
     * What an app uses of a quota on this server.
     *
     * @param value in the unit of the quota; empty where nothing adds up, as of a time limit
     * @param refused how often the quota refused something since this server started
     */
    public record Usage(OptionalLong value, long refused) {
        /** Nothing is measured. */
        public static final Usage UNKNOWN = new Usage(OptionalLong.empty(), 0);
    }

    /**
     * @param usage of an app
     */
    public QuotaPages(
            EffectiveQuotas quotas,
            Supplier<Hosting> hosting,
            BiFunction<String, Quota, Usage> usage) {
        this.quotas = quotas;
        this.hosting = hosting;
        this.usage = usage;
    }

    public List<Page> pages() {
        return List.of(
                new Page("GET", PATH, Page.Access.PROJECT_VIEW, Page.Lane.CALLS, this::show),
                // Who administers a project only must not raise its quotas.
                new Page("POST", PATH, Page.Access.ADMIN, Page.Lane.CALLS, this::change));
    }

    private Page.Answer show(Page.Request request) {
        String app = request.inPath("app");
        return answer(app, hosting.get().ownQuotas(app));
    }

    private Page.Answer change(Page.Request request) {
        String app = request.inPath("app");
        JsonObject asked = AppPages.parsed(request.body());
        Set<Quota> reset = reset(asked);
        return answer(
                app,
                hosting.get()
                        .changeQuotas(
                                app,
                                known -> {
                                    AppQuotas after = known.without(reset);
                                    for (Map.Entry<String, JsonElement> each : set(asked)) {
                                        after = after.with(each.getKey(), text(each.getValue()));
                                    }
                                    return after;
                                }));
    }

    private static Set<Map.Entry<String, JsonElement>> set(JsonObject asked) {
        return asked.get("set") instanceof JsonObject values ? values.entrySet() : Set.of();
    }

    /** An empty list is none; without a list and values, all. */
    private static Set<Quota> reset(JsonObject asked) {
        if (asked.get("reset") instanceof JsonArray names) {
            Set<Quota> quotas = new HashSet<>();
            names.forEach(name -> quotas.add(Quota.of(text(name))));
            return quotas;
        }
        if (asked.has("set")) {
            return Set.of();
        }
        throw PetrichorException.invalid(
                "name quotas to set or to reset, such as {example}",
                "example",
                "{\"set\": {\"requests\": \"6000/min\"}, \"reset\": [\"storage\"]}");
    }

    private static String text(JsonElement value) {
        if (!value.isJsonPrimitive()) {
            throw PetrichorException.invalid(
                    "set is an object of quotas and values, and reset a list of quotas");
        }
        return value.getAsString();
    }

    private Page.Answer answer(String app, AppQuotas own) {
        AppQuotas effective = own.over(quotas.defaults());
        JsonArray all = new JsonArray();
        for (Quota quota : Quota.values()) {
            JsonObject one = new JsonObject();
            one.addProperty("quota", quota.label());
            one.addProperty("description", quota.description());
            OptionalLong limit = effective.limit(quota);
            limit.ifPresent(value -> one.addProperty("limit", value));
            one.addProperty("text", quota.unit().format(limit.orElse(QuotaUnit.UNLIMITED)));
            one.addProperty("from", own.limits().containsKey(quota) ? "app" : "server");
            Usage used = usage.apply(app, quota);
            used.value()
                    .ifPresent(
                            value -> {
                                one.addProperty("usage", value);
                                one.addProperty("usageText", quota.unit().describe(value));
                            });
            one.addProperty("refused", used.refused());
            all.add(one);
        }
        JsonObject json = new JsonObject();
        json.addProperty("project", app);
        json.add("quotas", all);
        return Page.Answer.json(200, json + "\n");
    }
}
