package petrichor.testing.cluster;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The results of a run, with the options to repeat it.
 *
 * @param commits number of acknowledged commits by database
 * @param judged number of checked transactions
 * @param entities number of entities whose index rows were compared at the end, and number of these
 *     rows
 * @param notTested faults that are impossible on this machine
 */
public record LabReport(
        LabOptions options,
        List<Happened> faults,
        Map<String, Long> commits,
        long judged,
        long entities,
        long indexRows,
        List<String> notTested,
        long findingsCount,
        List<String> findings) {

    /**
     * One injected fault.
     *
     * @param atMillis time since the start of the run
     * @param silenceMillis longest time without an acknowledged commit, by database
     * @param recoveryMillis time from the end of the fault, including its repair, until every
     *     database acknowledged a commit
     */
    public record Happened(
            long atMillis,
            String name,
            String fault,
            Map<String, Long> silenceMillis,
            long recoveryMillis) {}

    public boolean clean() {
        return findingsCount == 0;
    }

    public String replay() {
        return "petrichor lab --store "
                + options.store()
                + " --store-nodes "
                + options.storeNodes()
                + " --servers "
                + options.servers()
                + " --minutes "
                + String.format(Locale.ROOT, "%.1f", options.time().toMillis() / 60_000.0)
                + " --seed "
                + options.seed()
                + (options.sizes() == LabOptions.Sizes.MIXED ? " --sizes mixed" : "")
                + (options.faults().isEmpty()
                        ? ""
                        : " --faults " + String.join(",", options.faults()));
    }

    /** A text for display. */
    public String text() {
        StringBuilder text = new StringBuilder();
        for (Happened one : faults) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "%7.1f s  %-70s unavailable %5d ms at most, recovered after %5d ms%n",
                            one.atMillis / 1000.0,
                            one.fault,
                            one.silenceMillis.values().stream()
                                    .mapToLong(Long::longValue)
                                    .max()
                                    .orElse(0),
                            one.recoveryMillis));
        }
        text.append(
                String.format(
                        Locale.ROOT,
                        "%d faults; %,d commits acknowledged (%s); %,d transactions checked; %,d"
                                + " entities and %,d index rows compared%n",
                        faults.size(),
                        commits.values().stream().mapToLong(Long::longValue).sum(),
                        commits,
                        judged,
                        entities,
                        indexRows));
        notTested.forEach(what -> text.append("not tested: ").append(what).append('\n'));
        findings.forEach(finding -> text.append("BROKEN: ").append(finding).append('\n'));
        text.append(
                clean()
                        ? "no guarantee was violated"
                        : findingsCount + " violations of guarantees");
        return text.append("; repeat with: ").append(replay()).append('\n').toString();
    }

    /** The report as JSON. */
    public String json() {
        StringBuilder json = new StringBuilder("{");
        json.append("\"clean\":").append(clean());
        json.append(",\"store\":").append(quoted(options.store()));
        json.append(",\"seed\":").append(options.seed());
        json.append(",\"replay\":").append(quoted(replay()));
        json.append(",\"commits\":").append(numbers(commits));
        json.append(",\"judged\":").append(judged);
        json.append(",\"entities\":").append(entities);
        json.append(",\"indexRows\":").append(indexRows);
        json.append(",\"faults\":[");
        for (int i = 0; i < faults.size(); i++) {
            Happened one = faults.get(i);
            json.append(i == 0 ? "" : ",")
                    .append("{\"atMillis\":")
                    .append(one.atMillis)
                    .append(",\"name\":")
                    .append(quoted(one.name))
                    .append(",\"fault\":")
                    .append(quoted(one.fault))
                    .append(",\"silenceMillis\":")
                    .append(numbers(one.silenceMillis))
                    .append(",\"recoveryMillis\":")
                    .append(one.recoveryMillis)
                    .append('}');
        }
        json.append("],\"notTested\":").append(texts(notTested));
        json.append(",\"findingsCount\":").append(findingsCount);
        json.append(",\"findings\":").append(texts(findings));
        return json.append('}').toString();
    }

    private static String texts(List<String> texts) {
        return "[" + String.join(",", texts.stream().map(LabReport::quoted).toList()) + "]";
    }

    private static String numbers(Map<String, Long> numbers) {
        return "{"
                + String.join(
                        ",",
                        numbers.entrySet().stream()
                                .map(one -> quoted(one.getKey()) + ":" + one.getValue())
                                .toList())
                + "}";
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
