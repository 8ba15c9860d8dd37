package petrichor.bench.tuning;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import petrichor.bench.jobs.GraphBuilder;
import petrichor.jobs.jobgraph.JobGraph;
import petrichor.jobs.jobgraph.JobVertex;
import petrichor.jobs.jobgraph.Operation;
import petrichor.jobs.jobgraph.Shipping;
import petrichor.jobs.jobgraph.Step;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;

/**
 * The thesis' job (figure 4.2): a reader, OCR, a PDF creator and its writer, an inverted index and
 * its writer. The cost of a page at each of them is known, and so is the bottleneck.
 *
 * @param linkMillis time of a page on the link that all readers share
 * @param words per page, for the index
 * @param cores available processors
 * @param computed milliseconds of processor time of all tasks, for one page
 */
record DocumentPipeline(
        String title,
        int pages,
        double linkMillis,
        Cost ocr,
        Cost pdf,
        Cost index,
        int words,
        Map<String, Double> pageMillis,
        double computed,
        int cores) {
    static final String READER = "file reader";
    static final String OCR = "ocr";
    static final String PDF = "pdf creator";
    static final String INDEX = "inverted index";
    static final String PROCESSORS = "processors";

    /**
     * About a block: in a run of seconds, pages in half-full blocks would distort the tasks'
     * capacity. The thesis' pages have 10 MB.
     */
    private static final int PAGE_BYTES = 100_000;

    private static final RecordType PAGE =
            RecordType.of(Field.int64("page"), Field.bytes("content"));
    private static final RecordType WORD =
            RecordType.of(Field.int64("word"), Field.int64("page"), Field.bytes("around"));

    /** OCR and PDF are external services, for which a subtask waits: 16 : 4 : 1. */
    static DocumentPipeline ofServices(int pages, double roundsPerMilli) {
        Map<String, Double> millis = new LinkedHashMap<>();
        millis.put(OCR, 40.0);
        millis.put(PDF, 10.0);
        millis.put(INDEX, 1.0);
        return new DocumentPipeline(
                "OCR and PDF creation as services elsewhere",
                pages,
                2.5,
                Cost.waiting(40),
                Cost.waiting(10),
                Cost.ofProcessor(1.0 / 4, roundsPerMilli),
                4,
                millis,
                1,
                Runtime.getRuntime().availableProcessors());
    }

    /** Everything is computed locally. */
    static DocumentPipeline ofProcessors(int pages, double roundsPerMilli) {
        Map<String, Double> millis = new LinkedHashMap<>();
        millis.put(OCR, 4.0);
        millis.put(PDF, 1.0);
        millis.put(INDEX, 0.25);
        return new DocumentPipeline(
                "all of it computed here",
                pages,
                0.5,
                Cost.ofProcessor(4, roundsPerMilli),
                Cost.ofProcessor(1, roundsPerMilli),
                Cost.ofProcessor(0.25 / 4, roundsPerMilli),
                4,
                millis,
                5.25,
                Runtime.getRuntime().availableProcessors());
    }

    JobGraph graph(Map<String, Integer> parallelism) {
        GraphBuilder graph = new GraphBuilder("documents");
        JobVertex reader =
                graph.add(
                        READER,
                        new Operation.Read(
                                new PageSource(PAGE, pages, (long) (linkMillis * 1e6), PAGE_BYTES)),
                        subtasks(parallelism, READER),
                        List.of());
        JobVertex read =
                graph.add(
                        OCR,
                        new Operation.Relay(),
                        subtasks(parallelism, OCR),
                        List.of(GraphBuilder.In.of(reader, new Shipping.Rebalance())),
                        new Step.Map(OCR, paying(ocr), PAGE));
        JobVertex created =
                graph.add(
                        PDF,
                        new Operation.Relay(),
                        subtasks(parallelism, PDF),
                        List.of(GraphBuilder.In.of(read, new Shipping.Rebalance())),
                        new Step.Map(PDF, paying(pdf), PAGE));
        graph.add(
                "pdf writer",
                new Operation.Write(new EveryPage("pdf writer", pages, 0, 1)),
                1,
                List.of(GraphBuilder.In.of(created, new Shipping.Rebalance())));
        JobVertex split =
                graph.add(
                        "words",
                        new Operation.Relay(),
                        subtasks(parallelism, OCR),
                        List.of(GraphBuilder.In.of(read, new Shipping.Forward())),
                        new Step.Map("words", splitting(words), WORD));
        JobVertex indexed =
                graph.add(
                        INDEX,
                        new Operation.Relay(),
                        subtasks(parallelism, INDEX),
                        List.of(GraphBuilder.In.of(split, new Shipping.HashPartition(Key.of(0)))),
                        new Step.Map(INDEX, paying(index), WORD));
        graph.add(
                "index writer",
                new Operation.Write(new EveryPage("index writer", pages, 1, words)),
                1,
                List.of(GraphBuilder.In.of(indexed, new Shipping.Rebalance())));
        return graph.graph();
    }

    static int subtasks(Map<String, Integer> parallelism, String task) {
        return parallelism.getOrDefault(task, 1);
    }

    static MapCode paying(Cost cost) {
        return (in, out) -> {
            if (cost.pay() != 42) {
                out.emit(in);
            }
        };
    }

    private static MapCode splitting(int words) {
        byte[] around = new byte[PAGE_BYTES / words];
        return (in, out) -> {
            for (int i = 0; i < words; i++) {
                out.record()
                        .int64(0, in.int64(0) * 31 + i)
                        .int64(1, in.int64(0))
                        .bytes(2, around)
                        .emit();
            }
        };
    }

    /** A lower bound of a run's duration, from the known cost of every page. */
    double leastSeconds(Map<String, Integer> parallelism) {
        return limits(parallelism).values().stream()
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(0);
    }

    /**
     * Lower bounds of a run's duration because of each task, of the link, and of the processors.
     */
    private Map<String, Double> limits(Map<String, Integer> parallelism) {
        Map<String, Double> limits = new LinkedHashMap<>();
        limits.put(READER, linkMillis * pages / 1e3);
        pageMillis.forEach(
                (task, millis) ->
                        limits.put(task, millis * pages / subtasks(parallelism, task) / 1e3));
        limits.put(PROCESSORS, computed * pages / cores / 1e3);
        return limits;
    }

    /** The real bottlenecks of a run; all within a tenth of the worst. */
    List<String> truth(Map<String, Integer> parallelism) {
        double worst = leastSeconds(parallelism);
        return limits(parallelism).entrySet().stream()
                .filter(each -> each.getValue() >= 0.9 * worst)
                .map(Map.Entry::getKey)
                .toList();
    }
}
