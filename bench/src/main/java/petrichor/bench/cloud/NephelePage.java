package petrichor.bench.cloud;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import petrichor.bench.ResultTable;

/**
 * One page of all of the thesis' experiments whose results are in a folder: for each its table and,
 * if it has one, its drawing, from {@code nephele-NAME-results.csv} and {@code nephele-NAME.svg}.
 */
final class NephelePage {
    /** In order of the page. */
    private enum Section {
        SIMULATED(
                "Chapter 3, simulated at the thesis' size",
                "The thesis' DAG took 33 minutes on six large machines and then one small; it gives"
                    + " no bill. The durations of stages are those of the thesis; lease times and"
                    + " costs are measured."),
        LOCAL(
                "Chapter 3 on this machine",
                "Worker processes with cores and memory of their own, leased for each stage; priced"
                        + " for the time of the leases. MapReduce is three unmodified Hadoop"
                        + " programs, one job after the other."),
        FLINK(
                "Chapter 3 on Flink",
                "The same programs on a fixed Flink cluster in one process: machines are leased for"
                        + " the whole time. The load is that of the process."),
        PIPELINE(
                "Chapter 4: the document pipeline, tuned",
                "The thesis' authors went from 1 to 4, to 16 and 4, to 16 and 5 subtasks of OCR and"
                        + " PDF creation, in three rounds by hand."),
        ELASTIC(
                "Chapter 4: the document pipeline, scaled while it runs",
                "The thesis proposes it for stateless tasks. Every run starts with one subtask per"
                        + " task; every page arrives once."),
        NETWORK(
                "Chapter 4: a network as bottleneck",
                "Pages sent between two worker processes over a link of a known rate; blank ones"
                        + " are compressed by the engine.");

        private final String title;
        private final String text;

        Section(String title, String text) {
            this.title = title;
            this.text = text;
        }

        /** As in file names. */
        private String displayName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private NephelePage() {}

    static void write(Path folder) throws IOException {
        StringBuilder page =
                new StringBuilder(
                        """
                        <!doctype html><meta charset="utf-8"><title>Experiments of the Nephele thesis</title>
                        <style>body{font:15px sans-serif;max-width:760px;margin:2em auto}td,th{padding:2px 12px 2px 0;text-align:left}</style>
                        <h1>Machines leased by stage, and bottlenecks found</h1>
                        """);
        for (Section section : Section.values()) {
            Path results = folder.resolve("nephele-" + section.displayName() + "-results.csv");
            if (Files.exists(results)) {
                page.append("<h2>").append(section.title).append("</h2>\n<p>");
                page.append(section.text).append("</p>\n");
                page.append(ResultTable.read(results).html());
                Path drawing = folder.resolve("nephele-" + section.displayName() + ".svg");
                if (Files.exists(drawing)) {
                    page.append(Files.readString(drawing));
                }
            }
        }
        Files.writeString(folder.resolve("nephele.html"), page);
    }
}
