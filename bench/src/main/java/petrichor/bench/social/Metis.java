package petrichor.bench.social;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.placement.graph.Graph;

/**
 * Divides graphs by METIS (Karypis and Kumar), the reference for partitioning graphs, as a process.
 *
 * @param program gpmetis, or its path
 */
record Metis(String program) {
    private static final int MINUTES_MAX = 30;

    /** Balance that is asked for, in thousandths: as that of our groups. */
    private static final int IMBALANCE = 100;

    /**
     * @return the group of each vertex
     */
    int[] partition(Graph undirected, double[] weights, int groups) throws IOException {
        Path folder = Files.createTempDirectory("metis");
        Path file = folder.resolve("graph");
        Path result = folder.resolve("graph.part." + groups);
        Path output = folder.resolve("output");
        try {
            write(file, undirected, weights);
            Process process =
                    new ProcessBuilder(
                                    program,
                                    "-ufactor=" + IMBALANCE,
                                    file.toString(),
                                    String.valueOf(groups))
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .start();
            if (!process.waitFor(MINUTES_MAX, TimeUnit.MINUTES)
                    || process.exitValue() != 0
                    || !Files.exists(result)) {
                process.destroyForcibly();
                throw failed(Files.readString(output));
            }
            return Files.readAllLines(result).stream().mapToInt(Integer::parseInt).toArray();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw failed("interrupted");
        } finally {
            for (Path path : List.of(file, result, output, folder)) {
                Files.deleteIfExists(path);
            }
        }
    }

    private PetrichorException failed(String output) {
        return PetrichorException.of(
                ErrorCode.UNAVAILABLE,
                "{program} did not divide the graph: {output}",
                "program",
                program,
                "output",
                output.strip());
    }

    /** The format of METIS: the weight and the neighbours of each vertex, counted from 1. */
    private static void write(Path file, Graph graph, double[] weights) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            out.write(graph.vertices() + " " + graph.edges() / 2 + " 010\n");
            StringBuilder line = new StringBuilder();
            for (int vertex = 0; vertex < graph.vertices(); vertex++) {
                line.setLength(0);
                line.append((long) weights[vertex]);
                for (int k = 0; k < graph.degree(vertex); k++) {
                    line.append(' ').append(graph.target(vertex, k) + 1);
                }
                out.append(line.append('\n'));
            }
        }
    }
}
