package scan

import (
	"errors"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// open opens a transcript, compressed or not.
func open(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil || !compressed(path) {
		return file, err
	}
	decoder, err := zstd.NewReader(file, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &decoding{decoder, file}, nil
}

type decoding struct {
	*zstd.Decoder
	file *os.File
}

func (d *decoding) Close() error {
	d.Decoder.Close()
	return d.file.Close()
}
