@echo off
setlocal
if not defined UV_THREADPOOL_SIZE set UV_THREADPOOL_SIZE=64
"%~dp0node.exe" @FLAGS@ "%~dp0..\lib\main.js" %*
