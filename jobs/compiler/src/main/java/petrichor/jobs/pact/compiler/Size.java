package petrichor.jobs.pact.compiler;

/** How much a data set is thought to be. */
record Size(double records, double bytesPerRecord) {
    double bytes() {
        return records * bytesPerRecord;
    }

    Size withRecords(double number) {
        return new Size(number, bytesPerRecord);
    }
}
