package petrichor.apps.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import petrichor.base.PetrichorException;

/**
 * Compares the readers of {@code app.yaml} and {@code dispatch.yaml} with Google's parser, whose
 * verdicts {@code appinfo_oracle.py} has written.
 */
class AppInfoVerdictsTest {
    private final Verdicts verdicts = Verdicts.read();

    @Test
    void everyDisagreementIsExplained() {
        Map<String, String> found = new LinkedHashMap<>();
        for (Verdicts.Verdict verdict : verdicts.all()) {
            String difference = difference(verdict);
            if (difference != null) {
                found.put(verdict.name(), difference);
            }
        }
        Map<String, String> explained = Verdicts.disagreements();
        assertThat(found).containsOnlyKeys(explained.keySet());
        assertThat(explained)
                .allSatisfy(
                        (name, petrichor) ->
                                assertThat(found.get(name)).as(name).startsWith(petrichor));
    }

    @Test
    void mostDocumentsAreReadInTheSameWay() {
        long same = verdicts.all().stream().filter(each -> difference(each) == null).count();
        assertThat(verdicts.all()).hasSizeGreaterThan(450);
        assertThat(same).isGreaterThan(verdicts.all().size() * 3L / 4);
    }

    /** Begins with "accepted", "refused" or "read"; null if there is no difference. */
    private @Nullable String difference(Verdicts.Verdict verdict) {
        JsonObject ours;
        try {
            ours = read(verdict);
        } catch (PetrichorException refused) {
            return verdict.accepted() ? "refused: " + refused.getMessage() : null;
        }
        if (!verdict.accepted()) {
            return "accepted";
        }
        String difference = ManifestJson.difference("", verdict.values(), ours);
        return difference == null ? null : "read differently: " + difference;
    }

    private JsonObject read(Verdicts.Verdict verdict) {
        return verdict.kind().equals("app")
                ? ManifestJson.of(
                        AppYaml.parse("app.yaml", verdict.text()),
                        verdicts.files(),
                        verdicts.paths())
                : dispatch(DispatchYaml.parse("dispatch.yaml", verdict.text()));
    }

    private JsonObject dispatch(DispatchYaml dispatch) {
        JsonObject json = new JsonObject();
        JsonArray rules = new JsonArray();
        for (DispatchYaml.Rule rule : dispatch.rules()) {
            JsonArray pair = new JsonArray();
            pair.add(rule.host() + rule.path());
            pair.add(rule.service());
            rules.add(pair);
        }
        json.add("rules", rules);
        JsonArray services = new JsonArray();
        verdicts.requests()
                .forEach(
                        request ->
                                services.add(
                                        dispatch.service(request.getFirst(), request.getLast())
                                                .orElse("")));
        json.add("services", services);
        return json;
    }
}
