package petrichor.cli.jobs;

import petrichor.cli.connection.ServerAddress;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The server and output format of a job command. */
final class JobsOfServer {
    @Mixin private ServerAddress address = new ServerAddress();

    @Option(names = "--json", description = "Print all facts as JSON, one object per line.")
    private boolean json;

    /** A request to the server's pages. */
    interface Question<T> {
        T ask(JobPages pages) throws InterruptedException;
    }

    <T> T ask(Question<T> question) throws InterruptedException {
        try (ServerAddress.Connection connection = address.connect(false);
                JobPages pages = JobPages.of(connection, address)) {
            return question.ask(pages);
        }
    }

    boolean json() {
        return json;
    }
}
